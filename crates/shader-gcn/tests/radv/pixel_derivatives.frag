#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;

void main() {
    target = vec4(dFdx(uv.x), dFdy(uv.y), fwidth(uv.x * uv.y), dFdxFine(uv.y) + dFdyCoarse(uv.x));
}
