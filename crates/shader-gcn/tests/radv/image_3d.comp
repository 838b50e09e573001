#version 450
//! about Images with depth.
//! groups 2 2 2
//! image 0 3d r32ui 8x8x8 1 random
//! image 2 3d r32ui 8x8x8 1 zero
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(binding = 0, r32ui) readonly uniform uimage3D source;
layout(binding = 2, r32ui) writeonly uniform uimage3D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec3 p = ivec3(gl_GlobalInvocationID);
    imageStore(target, p, imageLoad(source, p.zyx) + 1u);
}
