#version 450
//! about Nested branches that lanes take differently, with an early return.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 fill 0xcdcdcdcd
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], r;
    if ((v & 7u) == 3u) {
        return;
    }
    if ((v & 1u) != 0u) {
        r = v * 5u;
        if ((v & 2u) != 0u) {
            r ^= 0xff00ff00u;
            if ((v & 4u) != 0u) {
                r = ~r;
            } else {
                r += 17u;
            }
        }
    } else if ((v & 16u) != 0u) {
        r = v >> 3;
    } else {
        r = 99u;
    }
    result[id] = r;
}
