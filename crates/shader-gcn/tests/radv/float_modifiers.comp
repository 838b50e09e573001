#version 450
//! about Negated and absolute operands, results times two and four.
//! groups 2
//! buffer 0 2048 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    precise float a = -abs(v.x) + v.y, b = (v.z - v.w) * 2.0, d = (v.x + v.w) * 4.0, e = (v.y + v.z) * 0.5;
    result[id] = vec4(a, b, d, e);
}
