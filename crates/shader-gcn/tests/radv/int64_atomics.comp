#version 450
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
//! about 64-bit sums that lanes add to.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    atomicAdd(result[uint(data[id]) & 3u], data[id] >> 8);
    atomicMax(result[4u + (uint(data[id]) & 3u)], data[id]);
}
