#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
//! about One lane adds for all.
//! groups 2
//! compare translated
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (subgroupElect()) atomicAdd(result[0], subgroupBallotBitCount(subgroupBallot(true)));
    if (data[id] > 0x80000000u) atomicAdd(result[1], 1u);
}
