#version 450
//! about Comparisons of signed and unsigned integers as values.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uvec2 v = data[id];
    ivec2 i = ivec2(v);
    uint r = 0u;
    if (v.x < v.y) r |= 1u;
    if (i.x < i.y) r |= 2u;
    if (v.x <= 77u) r |= 4u;
    if (i.y >= -3) r |= 8u;
    if (v.x == v.y) r |= 16u;
    if (i.x != 0) r |= 32u;
    result[id] = r;
}
