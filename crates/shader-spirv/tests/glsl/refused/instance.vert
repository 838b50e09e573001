#version 460
// refused: builtin BaseInstance is not covered
// target: vulkan1.1
void main() { gl_Position = vec4(gl_BaseInstance); }
