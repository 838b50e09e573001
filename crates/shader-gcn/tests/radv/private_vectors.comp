#version 450
//! about An array of vectors in scratch memory.
//! groups 2
//! buffer 0 512 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    vec4 a[20];
    for (uint i = 0u; i < 20u; i++) a[i] = vec4(float(i), float(v & 0xffu), 1.0, float(v >> 24));
    a[v % 20u].y = 5.0;
    a[(v >> 8) % 20u] += vec4(1.0, 2.0, 3.0, 4.0);
    vec4 s = vec4(0.0);
    for (uint i = 0u; i < 20u; i++) s += a[(i * 7u + v) % 20u] * float(i);
    result[id] = s;
}
