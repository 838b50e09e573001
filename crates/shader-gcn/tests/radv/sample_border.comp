#version 450
//! about The border beyond the edges.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 2d rgba8 16x16 1 nearest border random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) * 2.0 + 0.5) / 16.0 - 0.5;
    result[to] = textureLod(source, uv, 0.0);
}
