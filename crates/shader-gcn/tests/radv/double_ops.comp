#version 450
//! about Sums, products, fused products, square roots of doubles.
//! groups 2
//! compare double 1e-12
//! buffer 0 2048 double
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { dvec2 data[]; };
layout(binding = 1) buffer Out { dvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    dvec2 v = data[id];
    precise double s = v.x + v.y, p = v.x * v.y, d = v.x - v.y;
    result[id * 2u] = dvec2(s, p);
    result[id * 2u + 1u] = dvec2(fma(v.x, v.y, d), max(v.x, v.y) - min(v.x, 0.5LF));
}
