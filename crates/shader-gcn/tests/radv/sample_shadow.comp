#version 450
//! about Depth comparisons.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 2d d32 16x16 1 nearest edge compare unit
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DShadow source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) + 0.5) / 16.0;
    float reference = float(at.x) / 16.0;
    result[to] = vec4(textureLod(source, vec3(uv, reference), 0.0), textureGather(source, uv + 0.5 / 16.0, reference).xyz);
}
