#version 450
//! about A flag that is set in an inner loop ends the outer one.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], n = 0u;
    bool done = false;
    for (uint i = 0u; i < 12u && !done; i++) {
        for (uint j = 0u; j < 5u; j++) {
            v ^= v << 13; v ^= v >> 17; v ^= v << 5;
            n++;
            if ((v & 0x3fu) == 0x11u) { done = true; break; }
        }
    }
    result[id] = v + n;
}
