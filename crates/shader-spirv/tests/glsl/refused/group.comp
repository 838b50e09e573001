#version 450
// refused: execution model GLCompute is not covered; Vertex, Geometry and Fragment are
layout(local_size_x = 8) in;
shared float f[8];
void main() { f[gl_LocalInvocationIndex] = 1.0; }
