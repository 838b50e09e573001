#version 450
// refused: texel buffers are not covered
layout(set = 0, binding = 0) uniform samplerBuffer heights;
void main() { gl_Position = texelFetch(heights, gl_VertexIndex); }
