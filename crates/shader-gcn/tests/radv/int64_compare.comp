#version 450
#extension GL_ARB_gpu_shader_int64 : require
//! about 64-bit comparisons and conversions.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint64_t a = data[id * 2u], b = data[id * 2u + 1u];
    uint r = 0u;
    if (a < b) r |= 1u;
    if (int64_t(a) < int64_t(b)) r |= 2u;
    if (a == b) r |= 4u;
    uint64_t m = max(a, b) - min(a, b);
    result[id] = m ^ uint64_t(r) ^ uint64_t(int64_t(int(uint(a))));
}
