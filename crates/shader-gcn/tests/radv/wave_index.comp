#version 450
#extension GL_KHR_shader_subgroup_basic : require
//! about Numbers of lanes and waves.
//! groups 2
//! compare translated
//! buffer 1 4096 zero
layout(local_size_x = 128) in;
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    result[id] = uvec4(gl_SubgroupInvocationID, gl_SubgroupSize, gl_SubgroupID, gl_NumSubgroups);
}
