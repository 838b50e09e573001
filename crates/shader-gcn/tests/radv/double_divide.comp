#version 450
//! about Quotients and roots of doubles.
//! groups 2
//! compare double 1e-15
//! buffer 0 2048 double
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { dvec2 data[]; };
layout(binding = 1) buffer Out { dvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    dvec2 v = data[id];
    result[id] = dvec2(v.x / v.y, sqrt(abs(v.x)));
}
