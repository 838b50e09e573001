#version 450
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
vec4 place() { return vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0); }
layout(set = 0, binding = 0) uniform Block { layout(offset = 368) mat4 bones[3]; } u;
void main() {
    gl_Position = place();
    gl_PointSize = 1.0;
    vec4 sum = vec4(0);
    for (int i = 0; i < 3; i++) sum += u.bones[(a2[i] & 0x7fffffff) % 3] * a0 * a1[i];
    a = sum; b = uvec4(a2 >> 1);
}
