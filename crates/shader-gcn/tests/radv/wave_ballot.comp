#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
//! about Ballots and their counts.
//! groups 2
//! compare translated
//! buffer 0 512 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uvec4 b = subgroupBallot((data[id] & 1u) != 0u);
    result[id] = uvec4(b.xy, subgroupBallotBitCount(b), subgroupBallotExclusiveBitCount(b));
}
