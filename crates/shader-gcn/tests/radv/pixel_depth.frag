#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;

void main() {
    gl_FragDepth = uv.x * 0.5 + 0.25;
    target = shade;
}
