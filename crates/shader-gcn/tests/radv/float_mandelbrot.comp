#version 450
//! about The count of an iteration that escapes.
//! groups 2
//! compare float 0.05
//! buffer 0 1024 float
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 z = vec2(0.0), at = data[id] * 0.25;
    uint n = 0u;
    while (n < 64u) {
        precise vec2 next = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y);
        precise vec2 moved = next + at;
        z = moved;
        if (dot(z, z) > 4.0) break;
        n++;
    }
    result[id] = n;
}
