#version 450
//! about Interpolation and steps.
//! groups 2
//! compare float 1e-5
//! buffer 0 2048 unit
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    result[id] = vec4(mix(v.x, v.y, v.z), step(v.x, v.y), smoothstep(0.2, 0.8, v.w), clamp(v.x * 3.0 - 1.0, 0.0, 1.0));
}
