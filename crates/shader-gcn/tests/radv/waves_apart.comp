#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about Waves of a group that go different numbers of rounds, asking each other in each.
//! groups 3
//! compare translated
//! buffer 0 1536 random
//! buffer 1 3072 zero
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };
void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], sum = 0u, count = 0u;
    for (uint outer = 0u; outer < 3u; ++outer) {
        while (subgroupAny((v & 15u) != 0u)) {
            uvec4 b = subgroupBallot((v & 1u) != 0u);
            sum += subgroupBallotBitCount(b) * (outer + 1u) + subgroupBallotExclusiveBitCount(b);
            if ((v & 3u) == 2u)
                sum ^= subgroupBroadcastFirst(v);
            v >>= (v & 7u) == 0u ? 3u : 1u;
            count += 1u;
        }
        v = data[id] * (outer + 3u);
    }
    result[id] = uvec2(sum, count);
}
