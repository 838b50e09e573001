#version 450
//! about Multiplication and addition, contracted and not.
//! groups 2
//! compare float 1e-6
//! buffer 0 2048 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    precise float a = v.x * v.y + v.z;
    result[id] = vec4(a, fma(v.x, v.y, v.z), fma(-v.x, v.z, abs(v.w)), v.w * 2.0 + 0.5);
}
