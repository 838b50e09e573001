#version 450
//! about Loads beyond an image give zero, and stores there do nothing.
//! groups 2 2
//! image 0 2d r32ui 16x16 1 random
//! image 2 2d r32ui 16x16 1 zero
//! buffer 1 1024 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) readonly uniform uimage2D target;
layout(binding = 2, r32ui) writeonly uniform uimage2D other;
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    uint v = imageLoad(target, at * 2 - 8).x;
    result[to] = v;
    imageStore(other, at * 3 - 5, uvec4(v + 1u));
}
