#version 450
//! about Quotients and reciprocals.
//! groups 2
//! compare float 2e-6
//! buffer 0 1024 positive
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 v = data[id];
    result[id] = vec4(v.x / v.y, 1.0 / v.x, inversesqrt(v.y), sqrt(v.x));
}
