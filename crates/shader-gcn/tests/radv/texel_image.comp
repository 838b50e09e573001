#version 450
//! about Texels that are read from and written to buffers.
//! groups 2 2
//! compare float 1e-6
//! texel_image 0 rgba8 256 random
//! texel_image 2 rgba32f 256 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) readonly uniform imageBuffer source;
layout(binding = 2, rgba32f) writeonly uniform imageBuffer target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int i = at.y * 16 + at.x;
    imageStore(target, i, imageLoad(source, i ^ 3).wzyx);
}
