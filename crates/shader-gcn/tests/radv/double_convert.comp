#version 450
//! about Doubles to floats and integers, and back.
//! groups 2
//! buffer 0 1024 double
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Out { dvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    double v = data[id];
    float f = float(v);
    int i = int(v * 1000.0LF);
    uint u = uint(abs(v) * 1000.0LF);
    result[id * 2u] = dvec2(double(f), double(i));
    result[id * 2u + 1u] = dvec2(double(u), v * 0.5LF);
}
