#version 450
// refused: capability ShaderLayer is not covered
// target: vulkan1.3
#extension GL_ARB_shader_viewport_layer_array : require
void main() { gl_Position = vec4(0); gl_Layer = 1; }
