#version 450
//! about Shifts by lanes' own and by constant amounts.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id].x, s = data[id].y & 31u;
    int x = int(a);
    result[id] = uvec4(a << s | a >> ((32u - s) & 31u), uint(x >> s) ^ (a >> 5), uint(x << 3), (a & 0xffu) << 24 | a >> 24);
}
