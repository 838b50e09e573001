#version 450
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
vec4 place() { return vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0); }
layout(location = 2) out Block { vec3 c; float d[2]; mat2 e; } o;
void main() {
    gl_Position = place();
    gl_PointSize = 1.0;
    o.c = a0.xyz; o.e = mat2(a1);
    for (int i = 0; i < 2; i++) o.d[i] = a0[i] * 2.0;
    a = vec4(o.c.x, o.d[1], 1.0, 2.0);
    b = uvec4(7);
    if (a2.x > 1000) return;
    a.w = 5.0;
}
