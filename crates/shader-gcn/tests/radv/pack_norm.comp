#version 450
//! about Normalized integers in words.
//! groups 2
//! buffer 0 512 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    vec4 u = unpackUnorm4x8(v), s = unpackSnorm4x8(v);
    result[id] = uvec4(packUnorm4x8(u.wzyx), packSnorm4x8(s.yxwz), packUnorm2x16(unpackUnorm2x16(v).yx), packSnorm2x16(unpackSnorm2x16(v)));
}
