#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec2 t = clamp(v0.xy * 0.45, -0.98, 0.98);
    color.x = sin(v0.x) + cos(v0.y) + tan(t.x);
    color.y = asin(t.x) + acos(t.y) + atan(v0.x) + atan(v0.y, v1.x + 0.01);
    color.z = sinh(t.x) + cosh(t.y) + tanh(v0.x) + asinh(v0.y) + acosh(1.5 + abs(v0.x)) + atanh(t.y);
    color.w = exp(t.x) + log(1.0 + abs(v0.y)) + exp2(t.y) + log2(2.0 + abs(v0.x)) + pow(abs(v0.x) + 0.1, v1.y) + sqrt(abs(v0.y))
        + inversesqrt(abs(v0.x) + 0.5) + radians(v0.x) + degrees(t.y);
    bits = uvec4(0);
}
