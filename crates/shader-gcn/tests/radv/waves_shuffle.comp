#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about Values of other lanes in groups of several waves, the last of which is not full.
//! groups 2
//! compare translated
//! buffer 0 1280 random
//! buffer 1 5120 zero
layout(local_size_x = 160) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], sum = 0u;
    for (uint mask = 1u; mask < 32u; mask <<= 1)
        sum += subgroupShuffleXor(v, mask) * mask;
    uint other = subgroupShuffle(v, (v >> 8) & 31u);
    uint most = subgroupMax(v >> 4);
    uvec4 b = subgroupBallot(v > 0x80000000u);
    result[id] = uvec4(sum, other, most, b.x ^ b.y);
}
