#version 450
//! about Comparisons of doubles.
//! groups 2
//! buffer 0 2048 double
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { dvec2 data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    dvec2 v = data[id];
    uint r = 0u;
    if (v.x < v.y) r |= 1u;
    if (v.x <= 0.0LF) r |= 2u;
    if (v.x == v.y) r |= 4u;
    if (abs(v.x) > 4.0LF) r |= 8u;
    result[id] = uvec2(r, v.x > v.y ? 7u : 9u);
}
