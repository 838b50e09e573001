#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 target;
layout(push_constant) uniform Push { vec4 tint; vec2 move; };

void main() {
    target = tint * vec4(uv, 1.0, 1.0);
}
