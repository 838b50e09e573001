#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec4 a = v0 * 3.7 + 0.01;
    color = round(a) + roundEven(a.wzyx) * 0.125 + trunc(a) * 0.25 + smoothstep(-1.0, 2.0, v1) + step(v0, v1);
    int e;
    float m = frexp(a.x, e);
    float whole;
    float part = modf(a.y, whole);
    color += vec4(m, float(e), part, whole) + ldexp(v1, ivec4(3, -2, 0, 1));
    bits = uvec4(isnan(a.x), isinf(a.y), any(lessThan(v0, v1)), all(notEqual(v0, v1)));
}
