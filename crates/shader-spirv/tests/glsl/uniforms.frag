#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
struct Light { vec3 place; float power; vec2 cone; };
layout(set = 0, binding = 0, std140) uniform Block {
    vec4 tint; vec3 axis; float scale; mat3 turn; layout(row_major) mat4x3 rows; float values[5]; Light lights[3]; ivec4 counts; mat4 bones[3]; uint flags;
} u;
layout(set = 1, binding = 2, std140) uniform Other { vec2 a; vec2 b; vec4 list[8]; } o;
void main() {
    int n = int(uv.x * 5.0), m = int(uv.y * 3.0);
    color = u.tint * u.scale + vec4(u.axis * u.turn, u.values[n]) + vec4(u.rows * v0, 1.0);
    Light l = u.lights[m];
    color += vec4(l.place * l.power, l.cone.y) + u.bones[m] * v1 + u.bones[1][n & 3];
    color.x += u.bones[m][2][n & 3] + u.rows[n & 3].y + u.rows[1][m];
    color += o.list[n + m] + vec4(o.a, o.b);
    bits = uvec4(u.counts) + u.flags;
}
