#version 450
//! about Loops in loops, with break and continue by lane.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], sum = 0u;
    for (uint i = 0u; i < (v & 7u) + 1u; i++) {
        uint w = v >> i;
        for (uint j = 0u; j < 9u; j++) {
            w = w * 1664525u + 1013904223u;
            if ((w & 0x70u) == 0x30u) {
                continue;
            }
            if ((w >> 28) == j) {
                break;
            }
            sum += w >> 8;
        }
        if ((sum & 0xf000u) == 0x5000u) {
            break;
        }
    }
    result[id] = sum;
}
