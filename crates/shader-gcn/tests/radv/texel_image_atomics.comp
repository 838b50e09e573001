#version 450
//! about Atomic operations on texels of a buffer.
//! groups 2 2
//! texel_image 0 r32ui 16 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimageBuffer target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint v = uint(at.x * 7 + at.y * 129) * 40503u;
    imageAtomicAdd(target, int(v & 7u), v);
    imageAtomicMax(target, 8 + int(v & 7u), v);
}
