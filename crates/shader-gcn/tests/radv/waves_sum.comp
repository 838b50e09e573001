#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about Sums over a group of four waves, of the sums of each.
//! groups 2
//! compare translated
//! buffer 0 2048 random
//! buffer 1 4096 zero
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };
shared uint sums[16];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id] >> 10;
    uint sum = subgroupAdd(v);
    if (subgroupElect())
        sums[gl_SubgroupID] = sum;
    barrier();
    uint all = 0u;
    for (uint wave = 0u; wave < gl_NumSubgroups; ++wave)
        all += sums[wave];
    result[id] = uvec2(sum, all);
}
