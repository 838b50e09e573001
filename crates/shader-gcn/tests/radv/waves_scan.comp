#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about Running sums over a group of four waves.
//! groups 2
//! compare translated
//! buffer 0 2048 random
//! buffer 1 2048 zero
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint sums[16];

void main() {
    uint id = gl_WorkGroupID.x * 256u + gl_LocalInvocationIndex;
    uint v = data[id] & 0xFFFFu;
    uint scan = subgroupInclusiveAdd(v);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        sums[gl_SubgroupID] = scan;
    barrier();
    if (gl_SubgroupID == 0u) {
        uint mine = gl_SubgroupInvocationID < gl_NumSubgroups ? sums[gl_SubgroupInvocationID] : 0u;
        uint before = subgroupExclusiveAdd(mine);
        if (gl_SubgroupInvocationID < gl_NumSubgroups)
            sums[gl_SubgroupInvocationID] = before;
    }
    barrier();
    result[id] = scan + sums[gl_SubgroupID];
}
