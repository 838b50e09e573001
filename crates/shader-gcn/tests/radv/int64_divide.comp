#version 450
#extension GL_ARB_gpu_shader_int64 : require
//! about 64-bit division.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint64_t a = data[id * 2u], b = (data[id * 2u + 1u] >> 17) | 1ul;
    result[id] = a / b + (a % b);
}
