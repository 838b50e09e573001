#version 450
//! about Loads and stores of rgb10a2 texels.
//! groups 2 2
//! image 0 2d rgb10a2 16x16 1 random
//! image 2 2d rgb10a2 16x16 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgb10_a2) readonly uniform image2D source;
layout(binding = 2, rgb10_a2) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(source, ivec2(at.y, at.x));
    imageStore(target, at, texel * 0.5);
}
