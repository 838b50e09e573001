#version 450
//! about Float arithmetic that is exact by definition, on ordinary numbers.
//! groups 2
//! buffer 0 1024 float
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { float result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 v = data[id];
    precise float sum = v.x + v.y, product = v.x * v.y, difference = v.x - v.y;
    uint at = id * 8u;
    result[at] = sum;
    result[at + 1u] = product;
    result[at + 2u] = difference;
    result[at + 3u] = min(v.x, v.y);
    result[at + 4u] = max(v.x, v.y);
    result[at + 5u] = abs(v.x) * -1.0;
    result[at + 6u] = clamp(v.y, 0.0, 1.0);
    result[at + 7u] = floor(v.x) + ceil(v.y);
}
