#version 450
//! about Sizes of images.
//! groups 2 2
//! image 0 2d r32ui 16x8 1 zero
//! image 2 2darray r32ui 8x4 5 zero
//! texture 3 4 2d rgba8 32x16 1 nearest edge random
//! buffer 1 64 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D flat_one;
layout(binding = 2, r32ui) uniform uimage2DArray layered;
layout(binding = 3) uniform sampler2D levels;
layout(binding = 1) buffer Out { ivec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    if (at == ivec2(0)) {
        ivec2 a = imageSize(flat_one);
        ivec3 b = imageSize(layered);
        result[0] = ivec4(a, b.xy);
        result[1] = ivec4(b.z, textureSize(levels, 1), textureQueryLevels(levels));
    }
}
