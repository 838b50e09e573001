#version 450
//! about Atomic operations on texels whose order makes no difference.
//! groups 2 2
//! image 2 2d r32ui 16x16 1 random
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 2, r32ui) uniform uimage2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint v = uint(at.x * 17 + at.y * 31) * 2654435761u;
    ivec2 to = at & 3;
    imageAtomicAdd(target, to, v);
    imageAtomicMin(target, to + ivec2(4, 0), v);
    imageAtomicMax(target, to + ivec2(0, 4), v);
    imageAtomicXor(target, to + ivec2(4), v);
    imageAtomicAnd(target, to + ivec2(8, 0), v | 0xff0u);
    imageAtomicOr(target, to + ivec2(0, 8), v & 0xff0u);
}
