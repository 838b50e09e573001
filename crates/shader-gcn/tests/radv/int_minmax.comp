#version 450
//! about Least, largest, middle and clamped integers.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uvec2 v = data[id];
    ivec2 i = ivec2(v);
    result[id] = uvec4(min(max(v.x, 5u), v.y), uint(clamp(i.x, -100, 100)), max(min(v.x, v.y), min(max(v.x, v.y), 1000u)), uint(max(min(i.x, i.y), min(max(i.x, i.y), 7))));
}
