#version 450
//! about Inverse trigonometric and hyperbolic functions.
//! groups 2
//! compare float 1e-3
//! buffer 0 512 unit
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id];
    result[id * 2u] = vec4(asin(v), acos(v), atan(v), atan(v, 0.3));
    result[id * 2u + 1u] = vec4(sinh(v), cosh(v), tanh(v), asinh(v));
}
