#version 450
//! about Exponents and mantissas.
//! groups 2
//! buffer 0 512 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id];
    int e;
    float m = frexp(v, e);
    result[id] = vec4(m, float(e), ldexp(v, e & 7), ldexp(m, -3));
}
