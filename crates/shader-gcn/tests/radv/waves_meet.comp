#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
//! about Waves of a group that go different numbers of rounds, and meet in between.
//! groups 3
//! buffer 0 1536 random
//! buffer 1 3072 zero
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };
shared uint rounds[128];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], sum = 0u, count = 0u;
    for (uint outer = 0u; outer < 3u; ++outer) {
        while (subgroupAny((v & 15u) != 0u)) {
            bool mine = (v & 15u) != 0u;
            sum += mine ? (v & 255u) * (outer + 1u) : 0u;
            count += mine ? 1u : 0u;
            v >>= mine ? 1u : 0u;
        }
        rounds[gl_LocalInvocationIndex] = count;
        barrier();
        v = data[id] * (outer + 3u) + rounds[gl_LocalInvocationIndex ^ 64u];
        barrier();
    }
    result[id] = uvec2(sum, count);
}
