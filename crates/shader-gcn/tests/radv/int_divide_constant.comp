#version 450
//! about Division by constants.
//! groups 2
//! buffer 0 512 edges
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id];
    int x = int(a);
    result[id] = uvec4(a / 3u, a % 10u, uint(x / 7), uint(x / -16) ^ (a / 641u));
}
