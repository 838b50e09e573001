#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
//! about A loop that goes over the different values of a wave.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id] & 3u, sum = 0u;
    for (;;) {
        uint first = subgroupBroadcastFirst(v);
        if (v == first) {
            sum = first * 7u + 1u;
            break;
        }
    }
    result[id] = sum;
}
