#version 450
//! about Faces of a cube as a storage image.
//! groups 2 2
//! image 2 cube r32ui 16x16 6 random
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 2, r32ui) uniform uimageCube target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    for (int face = 0; face < 6; face++) imageStore(target, ivec3(at, face), uvec4(imageLoad(target, ivec3(at, face)).x * 3u + uint(face)));
}
