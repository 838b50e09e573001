#version 450
//! about One-dimensional images.
//! groups 2 2
//! image 0 1d r32ui 256 1 random
//! image 2 1d r32ui 256 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) readonly uniform uimage1D source;
layout(binding = 2, r32ui) writeonly uniform uimage1D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int x = at.y * 16 + at.x;
    imageStore(target, x, imageLoad(source, 255 - x));
}
