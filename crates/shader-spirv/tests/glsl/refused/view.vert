#version 460
#extension GL_EXT_multiview : require
// refused: capability MultiView is not covered
// target: vulkan1.1
void main() { gl_Position = vec4(gl_ViewIndex); }
