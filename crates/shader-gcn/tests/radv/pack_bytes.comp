#version 450
//! about Bytes taken out and put in.
//! groups 2
//! buffer 0 512 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    uint a = v & 0xffu, b = v >> 8 & 0xffu, d = v >> 16 & 0xffu, e = v >> 24;
    result[id] = uvec2(e | d << 8 | b << 16 | a << 24, uint(float(a) + float(b) + float(d) + float(e)));
}
