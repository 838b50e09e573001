#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_quad : require
//! about Values of the other lanes of four.
//! groups 2
//! buffer 0 512 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    result[id] = uvec4(subgroupQuadSwapHorizontal(v), subgroupQuadSwapVertical(v), subgroupQuadSwapDiagonal(v), subgroupQuadBroadcast(v, 2u));
}
