#version 450
//! about Texels that are blended, at the middle between them.
//! groups 2 2
//! compare float 4e-3
//! texture 0 1 2d rgba8 16x16 1 linear edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) + 1.0) / 16.0;
    result[to] = textureLod(source, uv, 0.0);
}
