#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
//! about Votes whose outcome is the same for waves of any size.
//! groups 2
//! buffer 0 512 below 8
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    bool all = subgroupAll(data[id] < 8u), any = subgroupAny(data[id] > 100u);
    result[id] = uint(all) + uint(any) * 2u;
}
