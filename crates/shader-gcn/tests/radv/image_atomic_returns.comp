#version 450
//! about What atomic operations on texels give back. One group, as the last exchange counts.
//! groups 1
//! image 0 2d r32ui 16x16 1 fill 7
//! buffer 1 64 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D target;
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    uint old = imageAtomicExchange(target, ivec2(0), uint(at.y * 16 + at.x + 1));
    atomicAdd(result[0], old);
    uint was = imageAtomicCompSwap(target, at | 1, 7u, 9u);
    atomicAdd(result[1], was == 7u ? 1u : 0u);
    atomicAdd(result[2], imageAtomicAdd(target, ivec2(2, 0), 1u));
}
