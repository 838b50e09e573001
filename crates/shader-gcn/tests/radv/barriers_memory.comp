#version 450
//! about Memory barriers of all kinds between stores and loads of a group.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    result[id] = data[id];
    memoryBarrierBuffer();
    barrier();
    uint other = result[gl_WorkGroupID.x * 64u + (l ^ 1u)];
    groupMemoryBarrier();
    memoryBarrier();
    barrier();
    result[id] = other + 1u;
}
