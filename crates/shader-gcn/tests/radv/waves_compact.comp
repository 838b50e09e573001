#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about What is odd, put side by side by each of three waves.
//! groups 2
//! compare translated
//! buffer 0 1536 random
//! buffer 1 1536 fill 0xffffffff
//! buffer 2 8 zero
layout(local_size_x = 192) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(binding = 2) buffer Counts { uint counts[]; };
shared uint filled[16];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    bool odd = (v & 1u) != 0u;
    uvec4 b = subgroupBallot(odd);
    if (subgroupElect())
        filled[gl_SubgroupID] = subgroupBallotBitCount(b);
    barrier();
    uint first = gl_WorkGroupID.x * 192u;
    for (uint wave = 0u; wave < gl_SubgroupID; ++wave)
        first += filled[wave];
    if (odd)
        result[first + subgroupBallotExclusiveBitCount(b)] = v;
    if (gl_LocalInvocationIndex == 191u)
        counts[gl_WorkGroupID.x] = first + filled[gl_SubgroupID];
}
