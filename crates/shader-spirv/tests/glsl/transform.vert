#version 450
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
vec4 place() { return vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0); }
layout(set = 0, binding = 0) uniform Block { vec4 tint; vec3 axis; float scale; mat3 turn; layout(row_major) mat4x3 rows; } u;
layout(push_constant) uniform Push { vec2 a; float list[6]; } p;
void main() {
    gl_Position = place();
    gl_PointSize = 1.0;
    vec3 n = normalize(u.turn * a0.xyz);
    a = vec4(u.rows * vec4(n, 1.0), p.list[gl_VertexIndex % 6]) * u.tint;
    b = uvec4(floatBitsToUint(floor(a1.x * 8.0)), a2.x / 3, 0, 0);
}
