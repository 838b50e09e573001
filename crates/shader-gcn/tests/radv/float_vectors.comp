#version 450
//! about Lengths, dot and cross products, reflections.
//! groups 2
//! compare float 1e-4
//! buffer 0 2048 float
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    vec3 a = v.xyz, b = v.wzy;
    result[id * 2u] = vec4(dot(a, b), length(a), distance(a, b), dot(v, v));
    result[id * 2u + 1u] = vec4(reflect(a, normalize(b)), cross(a, b).x);
}
