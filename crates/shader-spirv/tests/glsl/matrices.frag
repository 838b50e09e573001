#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    mat4 m = mat4(v0, v1, v0.wzyx, vec4(1, 2, 3, 4));
    mat3 n = mat3(vec3(2, 0.5, v0.x), vec3(1, 3, 0.25), vec3(0.125, v1.y, 4));
    mat2x3 k = mat2x3(v0.xyz, v1.yzw);
    vec4 a = m * v1 + v0 * m;
    vec3 b = inverse(n) * v0.xyz + (n * k) * v1.xy * 0.01 + vec3(transpose(k) * v0.xyz, 1.0) * 0.1;
    color = a + vec4(b, determinant(m) * 0.01 + determinant(n)) + (m * 0.5)[2];
    mat4 o = outerProduct(v0, v1);
    m[1][2] = 9.0;
    m[v2.w] += o[v2.x & 3];
    color += matrixCompMult(m, o) * vec4(0.25) + m[v2.x & 1];
    mat2 q = inverse(mat2(3, v0.x * 0.1, 0.5, 2));
    mat4 w = inverse(mat4(4, 0, v0.x, 1, 0, 3, 1, 0, 0.5, 0, 5, v1.y, 0, 1, 0, 6));
    color += vec4(q[0], q[1]) + w * v0;
    bits = uvec4(n == n, m != o, 0, 0);
}
