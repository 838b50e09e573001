#version 450
//! about A product of matrices and their inverse.
//! groups 2
//! compare float 1e-4
//! buffer 0 2048 unit
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    mat4 m = mat4(v, v.yzwx + 1.0, v.zwxy * 0.5, vec4(0.0, 1.0, 2.0, 20.0));
    mat3 n = mat3(4.0 + v.x * 0.1, 0.1, 0.2, 0.3, 5.0, v.y * 0.1, 0.2, 0.1, 6.0);
    result[id * 2u] = m * v;
    result[id * 2u + 1u] = vec4(inverse(n) * v.xyz, determinant(n));
}
