#version 450
//! about Conditions joined by and, or, not; chosen values.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    bool a = (v & 1u) != 0u, b = (v & 6u) == 4u, d = int(v) < 0;
    uint r = (a && b) || (!a && d) ? v : ~v;
    if (a != b || (d && v > 0x90000000u)) {
        r += 3u;
    }
    result[id] = r + uint(a) * 2u + uint(!b) * 4u;
}
