#version 450
//! about Values that atomic operations give back, made independent of the order.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint n = atomicAdd(result[0], 1u);
    atomicAdd(result[1], n);
    uint m = atomicMax(result[2], id);
    atomicOr(result[3], m >= 128u ? 1u : 0u);
}
