#version 450
// refused: OpImageRead is not covered
layout(set = 0, binding = 0, rgba32f) uniform readonly image2D heights;
void main() { gl_Position = imageLoad(heights, ivec2(gl_VertexIndex)); }
