#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
//! about Sums of the lanes before.
//! groups 2
//! compare translated
//! buffer 0 512 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id] >> 8;
    result[id] = uvec2(subgroupExclusiveAdd(v), subgroupInclusiveMax(v));
}
