#version 450
//! about All that a lane can know about where it is.
//! groups 2 3 2
//! no_llvm
//! buffer 0 12288 zero
layout(local_size_x = 4, local_size_y = 2, local_size_z = 4) in;
layout(binding = 0) buffer Out { uint result[]; };

void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, id = gl_GlobalInvocationID;
    uint at = ((id.z * size.y + id.y) * size.x + id.x) * 4u;
    result[at] = gl_LocalInvocationIndex;
    result[at + 1u] = gl_WorkGroupID.x | gl_WorkGroupID.y << 8 | gl_WorkGroupID.z << 16;
    result[at + 2u] = gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 | gl_NumWorkGroups.z << 16;
    result[at + 3u] = gl_LocalInvocationID.x | gl_LocalInvocationID.y << 8 | gl_LocalInvocationID.z << 16;
}
