#version 450
//! about Loads and stores of r32ui texels.
//! groups 2 2
//! image 0 2d r32ui 16x16 1 random
//! image 2 2d r32ui 16x16 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) readonly uniform uimage2D source;
layout(binding = 2, r32ui) writeonly uniform uimage2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uvec4 texel = imageLoad(source, ivec2(15) - at);
    imageStore(target, at, texel.yxwz + 3u);
}
