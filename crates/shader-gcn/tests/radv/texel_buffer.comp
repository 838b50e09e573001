#version 450
//! about Texels of a buffer.
//! groups 2 2
//! compare float 1e-6
//! texels 0 rgba8 256 random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform samplerBuffer source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    int i = at.y * 16 + at.x;
    result[to] = texelFetch(source, 255 - i) * 2.0;
}
