#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
vec4 state = vec4(0.5);
struct Pair { float a; vec2 b; };
void swap(inout float a, inout float b) { float c = a; a = b; b = c; state.x += 1.0; }
Pair make(float x, out int n) { n = int(x * 10.0); Pair p; p.a = x; p.b = vec2(x, -x); return p; }
float deep(float x, int n) { for (int i = 0; i < 8; i++) { for (int j = 0; j < 4; j++) { if (i * j == n) return x + float(i * 10 + j); x += 0.125; } if (x > 6.0) return -x; } return 99.0; }
void fill(inout vec3 rows[3], int at, vec3 with) { rows[at] = with; rows[2].y = 4.0; }
void main() {
    float a = v0.x, b = v0.y;
    swap(a, b);
    vec4 v = v1;
    swap(v.x, v.w);
    int n;
    Pair p = make(a, n);
    vec3 rows[3] = vec3[](v0.xyz, v1.xyz, vec3(1));
    fill(rows, int(uv.y * 3.0), vec3(a, b, 7.0));
    color = v + vec4(p.a, p.b, state.x) + vec4(deep(v0.x, int(uv.x * 10.0)), rows[int(uv.x * 3.0)]);
    bits = uvec4(n, 0, 0, 0);
}
