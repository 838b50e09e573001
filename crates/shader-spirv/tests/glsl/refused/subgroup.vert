#version 450
#extension GL_KHR_shader_subgroup_basic : require
// refused: capability GroupNonUniform is not covered
// target: vulkan1.1
layout(location = 0) in vec4 a;
void main() { gl_Position = subgroupElect() ? a : vec4(0.0); }
