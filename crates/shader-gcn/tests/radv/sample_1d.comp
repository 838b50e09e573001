#version 450
//! about One-dimensional textures, alone and in layers.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 1d rgba8 16 1 nearest edge random
//! texture 2 1 1darray rgba8 16 4 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler1D line;
layout(binding = 2) uniform sampler1DArray lines;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    float u = (float(at.x) + 0.5) / 16.0;
    result[to] = textureLod(line, u, 0.0) + textureLod(lines, vec2(u, float(at.y & 3)), 0.0);
}
