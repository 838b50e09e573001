#version 450
//! about Division and remainder, signed and unsigned.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id].x, b = data[id].y | 1u;
    int x = int(a) >> 1, y = (int(b) >> 7) | 1;
    result[id] = uvec4(a / b, a % b, uint(x / y), uint(x - (x / y) * y));
}
