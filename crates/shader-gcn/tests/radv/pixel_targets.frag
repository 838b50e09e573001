#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 targets[8];

void main() {
    for (int i = 0; i < 8; i++) targets[i] = vec4(uv, float(i), 1.0);
}
