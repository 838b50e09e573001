#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform sampler2D image;

void main() {
    target = texture(image, uv) + texture(image, uv * 2.0, 1.5) + textureGrad(image, uv, vec2(0.1, 0.0), vec2(0.0, 0.1)) + vec4(textureQueryLod(image, uv), 0.0, 0.0);
}
