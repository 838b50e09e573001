#version 450
// target: vulkan1.1
// A grid without attributes, lifted by a height map; layers of detail, exact texels for the normal.
layout(set = 0, binding = 0) uniform sampler2D heights;
layout(set = 0, binding = 1) uniform sampler2DArray detail;
layout(set = 1, binding = 0) uniform texture2D cover_map;
layout(set = 1, binding = 1) uniform sampler smooth_sampler;
layout(set = 0, binding = 2) uniform usampler2D zones;
layout(set = 2, binding = 3, std140) uniform Grid { ivec2 size; vec2 scale; float height; int levels; } grid;
layout(location = 0, xfb_buffer = 0, xfb_stride = 36, xfb_offset = 0) out vec3 position;
layout(location = 1, xfb_buffer = 0, xfb_offset = 12) out vec3 normal;
layout(location = 2, xfb_buffer = 0, xfb_offset = 24) out vec2 cover;
layout(location = 3, xfb_buffer = 0, xfb_offset = 32) flat out uint zone;
float texel(ivec2 at) {
    ivec2 size = textureSize(heights, 0);
    return texelFetch(heights, clamp(at, ivec2(0), size - 1), 0).x * grid.height;
}
void main() {
    ivec2 at = ivec2(gl_VertexIndex % grid.size.x, gl_VertexIndex / grid.size.x);
    vec2 uv = (vec2(at) + 0.5) / vec2(grid.size);
    float height = textureLod(heights, uv, 0.0).x * grid.height;
    float amplitude = 0.5;
    for (int level = 0; level < grid.levels; ++level) {
        height += amplitude * textureLod(detail, vec3(uv * float(4 << level), float(level)), 0.0).x;
        amplitude *= 0.5;
        if (amplitude < 0.01) break;
    }
    vec3 dx = vec3(2.0 * grid.scale.x, texel(at + ivec2(1, 0)) - texel(at - ivec2(1, 0)), 0.0);
    vec3 dz = vec3(0.0, texel(at + ivec2(0, 1)) - texel(at - ivec2(0, 1)), 2.0 * grid.scale.y);
    position = vec3(vec2(at) * grid.scale, height).xzy;
    normal = normalize(cross(dz, dx));
    cover = textureLodOffset(sampler2D(cover_map, smooth_sampler), uv, 1.0, ivec2(1, -1)).xy;
    zone = texelFetch(zones, at & 7, 0).y;
    gl_Position = vec4(position, 1.0);
}
