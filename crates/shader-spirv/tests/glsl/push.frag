#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
layout(push_constant) uniform Push { vec2 a; float b[6]; vec3 c; int d; mat2 m; vec4 e[2]; } p;
void main() {
    int n = int(uv.x * 6.0);
    color = vec4(p.a, p.b[n], p.b[3]) + vec4(p.c, 1.0) + vec4(p.m * v0.xy, p.m[n & 1]) + p.e[n & 1];
    bits = uvec4(p.d, n, 0, 0);
}
