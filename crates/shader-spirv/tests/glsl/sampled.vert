#version 450
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
vec4 place() { return vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0); }
layout(set = 0, binding = 1) uniform sampler2D flat2;
void main() { gl_Position = place(); gl_PointSize = 1.0; a = textureLod(flat2, a0.xy, 0.0); b = uvec4(1); }
