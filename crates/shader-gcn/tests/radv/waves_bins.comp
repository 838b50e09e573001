#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about A loop over the different values of each wave, with a histogram of the group.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 128 zero
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint bins[16];

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex < 16u)
        bins[gl_LocalInvocationIndex] = 0u;
    barrier();
    uint v = data[id] & 15u;
    bool counted = false;
    while (!counted) {
        uint first = subgroupBroadcastFirst(v);
        uvec4 same = subgroupBallot(v == first);
        if (subgroupElect())
            atomicAdd(bins[first], subgroupBallotBitCount(same));
        counted = v == first;
    }
    barrier();
    if (gl_LocalInvocationIndex < 16u)
        result[gl_WorkGroupID.x * 16u + gl_LocalInvocationIndex] = bins[gl_LocalInvocationIndex];
}
