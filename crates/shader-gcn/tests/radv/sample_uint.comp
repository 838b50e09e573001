#version 450
//! about Integer texels, sampled and fetched.
//! groups 2 2
//! texture 0 1 2d rgba8ui 16x16 1 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform usampler2D source;
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec2 uv = (vec2(at) + 0.5) / 16.0;
    result[to] = textureLod(source, uv, 0.0) + texelFetch(source, at.yx, 0);
}
