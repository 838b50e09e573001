#version 450
//! about Six branches in one another.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], r = 0u;
    if ((v & 1u) != 0u) {
        r += 1u;
        if ((v & 2u) != 0u) {
            r += 20u;
            if ((v & 4u) != 0u) {
                r ^= v;
                if ((v & 8u) != 0u) {
                    r *= 3u;
                    if ((v & 16u) != 0u) {
                        r -= 7u;
                        if ((v & 32u) != 0u) r = ~r;
                    } else {
                        r |= 0x100u;
                    }
                }
            } else {
                r = v / 7u;
            }
        }
    }
    result[id] = r;
}
