#version 450
#extension GL_ARB_gpu_shader_int64 : require
//! about 64-bit shifts.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint64_t a = data[id];
    uint s = uint(a) & 63u;
    result[id * 2u] = a << s;
    result[id * 2u + 1u] = (a >> s) ^ uint64_t(int64_t(a) >> (63u - s));
}
