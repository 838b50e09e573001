#version 450
//! about A loop of the same length for all lanes, with a branch in it.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    for (uint i = 0u; i < 40u; i++) {
        if ((v & (1u << (i & 31u))) != 0u) {
            v = v * 5u + i;
        }
    }
    result[id] = v;
}
