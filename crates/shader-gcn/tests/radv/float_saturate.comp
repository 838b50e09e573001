#version 450
//! about Results that are clamped to 0 to 1.
//! groups 2
//! buffer 0 2048 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec4 v = data[id];
    precise vec4 s = clamp(v + v.yzwx, 0.0, 1.0);
    precise float p = clamp(v.x * v.y, 0.0, 1.0);
    result[id] = vec4(s.xyz, p);
}
