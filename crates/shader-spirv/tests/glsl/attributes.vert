#version 450
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
vec4 place() { return vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0); }
void main() { gl_Position = place(); gl_PointSize = 1.0; a = a0 + a1; b = uvec4(a2) + uint(gl_VertexIndex * 100 + gl_InstanceIndex); }
