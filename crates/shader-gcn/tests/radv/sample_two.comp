#version 450
//! about Two textures, one looked up where the other says.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 2d rgba8 16x16 1 nearest edge random
//! texture 2 1 2d rgba32f 16x16 1 nearest repeat unit
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D first;
layout(binding = 2) uniform sampler2D second;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec4 a = texelFetch(first, at, 0);
    result[to] = textureLod(second, a.xy, 0.0) + a;
}
