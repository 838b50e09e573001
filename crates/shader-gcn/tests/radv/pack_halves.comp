#version 450
//! about Two halves a word.
//! groups 2
//! buffer 0 512 halves
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 v = unpackHalf2x16(data[id]);
    result[id] = packHalf2x16(vec2(v.x * 2.0, v.y + 0.25));
}
