#version 450
//! about Atomic operations on a buffer whose order makes no difference.
//! groups 4
//! buffer 0 1024 random
//! buffer 1 128 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint v = data[gl_GlobalInvocationID.x];
    uint at = v & 3u;
    atomicAdd(result[at], v >> 4);
    atomicMin(result[4u + at], v);
    atomicMax(result[8u + at], v);
    atomicAnd(result[12u + at], v);
    atomicOr(result[16u + at], v);
    atomicXor(result[20u + at], v);
    atomicAdd(result[24u + (gl_LocalInvocationID.x & 7u)], 1u);
}
