#version 450
//! about Comparisons and choices with infinities, NaN and denormals.
//! groups 2
//! buffer 0 1024 special
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 v = data[id];
    uint r = 0u;
    if (v.x < v.y) r |= 1u;
    if (v.x <= v.y) r |= 2u;
    if (v.x == v.y) r |= 4u;
    if (v.x != v.y) r |= 8u;
    if (!(v.x > v.y)) r |= 16u;
    if (isnan(v.x)) r |= 32u;
    if (isinf(v.y)) r |= 64u;
    if (!(v.x >= 0.0)) r |= 128u;
    result[id] = r;
}
