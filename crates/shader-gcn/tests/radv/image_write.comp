#version 450
//! about A storage image is read and another written.
//! groups 2 2
//! image 0 2d rgba8 16x16 1 random
//! image 1 2d rgba32f 16x16 1 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) readonly uniform image2D source;
layout(binding = 1, rgba32f) writeonly uniform image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(source, ivec2(15) - at);
    imageStore(target, at, texel.bgra);
}
