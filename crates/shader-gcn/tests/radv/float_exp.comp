#version 450
//! about Exponentials and logarithms.
//! groups 2
//! compare float 2e-5
//! buffer 0 512 positive
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id];
    result[id] = vec4(exp2(v * 0.5), log2(v), exp(v * 0.25), log(v));
}
