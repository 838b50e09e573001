#version 450
//! about Sums of absolute differences.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uvec2 v = data[id];
    uint s = 0u;
    for (uint i = 0u; i < 4u; i++) {
        uint a = v.x >> (i * 8u) & 0xffu, b = v.y >> (i * 8u) & 0xffu;
        s += max(a, b) - min(a, b);
    }
    result[id] = s + uint(abs(int(v.x >> 1) - int(v.y >> 1)));
}
