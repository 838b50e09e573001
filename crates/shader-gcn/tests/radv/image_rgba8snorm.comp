#version 450
//! about Loads and stores of rgba8snorm texels.
//! groups 2 2
//! image 0 2d rgba8snorm 16x16 1 random
//! image 2 2d rgba8snorm 16x16 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8_snorm) readonly uniform image2D source;
layout(binding = 2, rgba8_snorm) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(source, ivec2(at.y, at.x));
    imageStore(target, at, texel * 0.5);
}
