#version 450
//! about Push constants of all kinds.
//! groups 2
//! buffer 0 512 random
//! buffer 1 1024 zero
//! push 3 1.5 0 0 10 20 30 40
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };
layout(push_constant) uniform Push { uint scale; float factor; uvec2 pad; uvec4 offset; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    result[id] = uvec2(data[id] * scale + offset.y, floatBitsToUint(factor * float(data[id] & 0xffu)) ^ offset.w);
}
