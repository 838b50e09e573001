#version 450
// refused: capability Tessellation is not covered
layout(vertices = 3) out;
void main() { gl_TessLevelOuter[0] = 1.0; }
