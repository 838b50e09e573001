#version 450
//! about Layers of an image.
//! groups 2 2
//! image 0 2darray r32ui 16x16 3 random
//! image 2 2darray r32ui 16x16 3 zero
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) readonly uniform uimage2DArray source;
layout(binding = 2, r32ui) writeonly uniform uimage2DArray target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    for (int layer = 0; layer < 3; layer++) imageStore(target, ivec3(at, layer), imageLoad(source, ivec3(at, 2 - layer)));
}
