#version 450
//! about A cube by directions.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 cube rgba8 8x8 6 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform samplerCube source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec3 d = vec3(vec2(at) / 7.3 - 1.02, float((at.x * 7 + at.y * 3) & 15) / 7.7 - 0.98);
    result[to] = textureLod(source, d, 0.0);
}
