#version 450
//! about Loads and stores of signed texels.
//! groups 2 2
//! image 0 2d rgba8i 16x16 1 random
//! image 2 2d rgba8i 16x16 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8i) readonly uniform iimage2D source;
layout(binding = 2, rgba8i) writeonly uniform iimage2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec4 texel = imageLoad(source, at);
    imageStore(target, at, clamp(-texel, -128, 127));
}
