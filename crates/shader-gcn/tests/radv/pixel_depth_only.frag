#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;

void main() {
    if (shade.a < 0.5) discard;
    gl_FragDepth = uv.y;
}
