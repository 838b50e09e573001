#version 450
//! about Bit fields of constant and of variable places.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id].x, b = data[id].y;
    int at = int(b & 7u), n = int(b >> 8 & 15u);
    result[id] = uvec4(bitfieldExtract(a, at, n), uint(bitfieldExtract(int(a), at, n + 1)), bitfieldInsert(a, b, at, n), uint(bitCount(b)) + bitfieldReverse(a));
}
