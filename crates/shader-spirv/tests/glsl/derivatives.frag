#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec2 a = v0.xy * v0.yx;
    color = vec4(dFdx(a), dFdy(a)) + fwidth(v1) + vec4(dFdxFine(uv.x), dFdyCoarse(uv.y), 0, 0);
    bits = uvec4(0);
}
