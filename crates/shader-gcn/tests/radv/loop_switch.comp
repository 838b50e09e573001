#version 450
//! about A state machine: a switch in a loop, which its cases end and go on with.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], state = 0u, n = 0u;
    for (uint i = 0u; i < 50u; i++) {
        switch (state) {
        case 0u: state = v & 3u; break;
        case 1u: v = v * 3u + 1u; state = 2u; continue;
        case 2u: v >>= 1; state = (v & 1u) != 0u ? 3u : 0u; break;
        default: n++; v ^= 0x9e3779b9u; state = n > 5u ? 4u : 0u; break;
        }
        if (state == 4u) {
            break;
        }
        v += i;
    }
    result[id] = v ^ (n << 28);
}
