#version 450
//! about Texels of all levels by their coordinates, and a nearest sample.
//! groups 2 2
//! texture 0 3 2d rgba8 16x16 1 nearest edge random
//! buffer 1 8192 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int level = (at.x ^ at.y) % 3;
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    result[to] = texelFetch(source, at >> level, level);
    result[to + 256u] = textureLod(source, (vec2(at) + 0.5) / 16.0, 0.0);
}
