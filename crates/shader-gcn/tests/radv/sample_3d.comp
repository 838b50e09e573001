#version 450
//! about A texture with depth.
//! groups 2 2
//! compare float 1e-5
//! texture 0 1 3d rgba8 8x8x8 1 nearest edge random
//! buffer 1 4096 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler3D source;
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint to = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
    vec3 uvw = (vec3(at, float(at.x ^ at.y)) + 0.5) / vec3(16.0, 16.0, 16.0);
    result[to] = textureLod(source, uvw, 0.0);
}
