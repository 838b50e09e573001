#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0, index = 0) out vec4 first;
layout(location = 0, index = 1) out vec4 second;

void main() {
    first = shade;
    second = vec4(uv, 0.5, 0.25);
}
