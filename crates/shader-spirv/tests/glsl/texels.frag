#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Texels by number, sizes, levels, lookups that are moved, and components that are gathered.
layout(set = 0, binding = 1) uniform sampler2D flat_;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(set = 0, binding = 3) uniform sampler3D solid;
layout(set = 0, binding = 4) uniform sampler2DShadow shade;
layout(set = 0, binding = 5) uniform texture2D images[2];
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
void main() {
    ivec2 at = ivec2(uv * 4.0) & 3;
    colour = texelFetch(flat_, at, 0) + texelFetch(flat_, at >> 1, 1) + texelFetchOffset(flat_, ivec2(1), 0, ivec2(1, -1));
    colour += texelFetch(solid, ivec3(0), 0) + texelFetch(images[1], at, 0);
    colour += textureLodOffset(flat_, uv, 0.0, ivec2(1, 2)) + textureGrad(flat_, uv, vec2(0.1, 0.0), vec2(0.0, 0.1));
    colour += textureGather(flat_, vec2(0.4), 2) + textureGatherOffset(flat_, vec2(0.4), ivec2(-1, 1), 3);
    colour += textureGather(shade, vec2(0.3), 0.5);
    bits = uvec4(textureSize(flat_, 1), textureQueryLevels(flat_), textureSize(cube, 0).x);
    bits.w += uint(textureSize(solid, 0).z) << 8;
}
