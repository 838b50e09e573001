#version 450
//! about Layers of a texture, rounded and clamped.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 2darray rgba8 16x16 4 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2DArray source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) + 0.5) / 16.0;
    result[to] = textureLod(source, vec3(uv, float(at.x) * 0.5 - 1.0), 0.0) + texelFetch(source, ivec3(at, 2), 0);
}
