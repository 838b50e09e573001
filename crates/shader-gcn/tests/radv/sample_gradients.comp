#version 450
//! about Levels from given derivatives.
//! groups 2 2
//! compare float 1e-5
//! texture 0 3 2d rgba8 16x16 1 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) + 0.5) / 16.0;
    result[to] = textureGrad(source, uv, vec2(1.0 / 8.0, 0.0), vec2(0.0, 1.0 / 8.0));
}
