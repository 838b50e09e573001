#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;

void main() {
    if (shade.a < 0.25) discard;
    float sum = 0.0;
    for (int i = 0; i < int(uv.x * 8.0); i++) {
        sum += uv.y;
        if (sum > 5.0) discard;
    }
    target = shade + sum;
}
