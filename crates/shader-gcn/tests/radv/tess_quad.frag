#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 target;

void main() {
    target = vec4(uv, fract(uv.x * 8.0), 1.0);
}
