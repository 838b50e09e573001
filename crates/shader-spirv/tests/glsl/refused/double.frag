#version 450
// refused: GLSL.std.450 Determinant of 64-bit numbers is not covered
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform U { dmat2 m; };
void main() { colour = vec4(float(determinant(m))); }
