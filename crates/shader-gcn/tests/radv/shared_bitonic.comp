#version 450
//! about A bitonic sort of a group.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint keys[64];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    keys[l] = data[id];
    barrier();
    for (uint k = 2u; k <= 64u; k <<= 1)
        for (uint j = k >> 1; j > 0u; j >>= 1) {
            uint other = l ^ j;
            if (other > l) {
                uint a = keys[l], b = keys[other];
                if ((a > b) == ((l & k) == 0u)) {
                    keys[l] = b;
                    keys[other] = a;
                }
            }
            barrier();
        }
    result[id] = keys[l];
}
