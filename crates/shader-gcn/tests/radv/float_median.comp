#version 450
//! about The middle of three.
//! groups 2
//! buffer 0 2048 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    result[id] = vec4(max(min(v.x, v.y), min(max(v.x, v.y), v.z)), min(min(v.x, v.y), v.z), max(max(v.y, v.z), v.w), clamp(v.w, -2.0, 3.0));
}
