#version 450
//! about Post-processing: a blur along rows through shared memory.
//! groups 1 4
//! compare float 1
//! texture 0 1 2d rgba8 16x16 1 nearest edge random
//! image 2 2d rgba8 16x16 1 zero
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 2, rgba8) writeonly uniform image2D target;
shared vec4 row[4][16];

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    row[gl_LocalInvocationID.y][gl_LocalInvocationID.x] = texelFetch(source, at, 0);
    barrier();
    vec4 sum = vec4(0.0);
    for (int i = -2; i <= 2; i++) sum += row[gl_LocalInvocationID.y][clamp(int(gl_LocalInvocationID.x) + i, 0, 15)] * 0.2;
    imageStore(target, at, sum);
}
