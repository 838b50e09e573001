#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform sampler2D image;

void main() {
    vec2 d = uv - 0.5;
    target = vec4(textureLod(image, uv, 0.0).rgb * (1.0 - dot(d, d)), 1.0);
}
