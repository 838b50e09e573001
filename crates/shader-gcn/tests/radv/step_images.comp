#version 450
//! about Lanes read texels that their neighbours have written, and the other way round.
//! groups 1
//! image 0 2d r32ui 8x8 1 random
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) coherent uniform uimage2D texels;

void main() {
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    for (int k = 0; k < 3; ++k) {
        uvec4 v = imageLoad(texels, (at + ivec2(1, 3)) & 7) + imageLoad(texels, (at + ivec2(7, 4)) & 7);
        memoryBarrierImage();
        barrier();
        imageStore(texels, at, v + uint(k));
        memoryBarrierImage();
        barrier();
    }
}
