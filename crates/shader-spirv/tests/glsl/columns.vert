#version 450
// A matrix of attributes, indexed by what is no constant, and one of outputs.
layout(location = 0) in mat2x4 m;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
layout(location = 2) out vec3 parts[3];
void main() {
    gl_Position = vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0);
    gl_PointSize = 1.0;
    int n = gl_VertexIndex & 1;
    for (int i = 0; i < 3; i++) parts[(i + n) % 3] = m[n].xyz * float(i);
    a = m[n] + m[1 - n][a2.x & 3] + vec4(parts[n], 0.0);
    b = uvec4(a2);
}
