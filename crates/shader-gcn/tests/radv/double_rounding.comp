#version 450
//! about Rounding of doubles.
//! groups 2
//! buffer 0 1024 double
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Out { dvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    double v = data[id];
    result[id * 2u] = dvec2(floor(v), ceil(v));
    result[id * 2u + 1u] = dvec2(trunc(v) + fract(v), roundEven(v));
}
