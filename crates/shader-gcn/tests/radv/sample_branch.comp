#version 450
//! about Texels that only some lanes look up.
//! groups 2 2
//! texture 0 1 2d rgba8 16x16 1 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec4 sum = vec4(0.0);
    if (((at.x ^ at.y) & 1) != 0) {
        sum = texelFetch(source, at, 0);
        if (sum.x > 0.5) sum += texelFetch(source, at ^ 3, 0);
    }
    result[to] = sum;
}
