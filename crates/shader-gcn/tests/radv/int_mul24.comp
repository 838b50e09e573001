#version 450
//! about Products of 24 bits.
//! groups 2
//! buffer 0 512 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id] & 0xffffffu, b = data[id] >> 8;
    int x = int(data[id]) >> 8, y = int(data[id] << 9) >> 10;
    result[id] = uvec2(a * b + 5u, uint(x * y));
}
