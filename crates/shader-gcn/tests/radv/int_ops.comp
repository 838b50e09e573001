#version 450
//! about Integer arithmetic, shifts and bit fields at the edges of their ranges.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 8192 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id].x, b = data[id].y;
    int x = int(a), y = int(b);
    uint at = id * 16u;
    result[at] = a + b;
    result[at + 1u] = a - b;
    result[at + 2u] = a * b;
    result[at + 3u] = a << (b & 31u);
    result[at + 4u] = a >> (b & 31u);
    result[at + 5u] = uint(x >> (b & 31u));
    result[at + 6u] = uint(min(x, y)) ^ max(a, b);
    result[at + 7u] = uint(abs(x)) + uint(sign(y));
    result[at + 8u] = bitfieldExtract(a, int(b & 15u), 7);
    result[at + 9u] = uint(bitfieldExtract(x, int(b & 15u), 9));
    result[at + 10u] = bitfieldInsert(a, b, 5, 11);
    result[at + 11u] = bitfieldReverse(a);
    result[at + 12u] = uint(bitCount(a));
    result[at + 13u] = uint(findLSB(a));
    result[at + 14u] = uint(findMSB(b));
    result[at + 15u] = uint(findMSB(x));
}
