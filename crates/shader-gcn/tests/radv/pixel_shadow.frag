#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform sampler2DShadow depths;
layout(binding = 1) uniform samplerCubeShadow cube;

void main() {
    target = vec4(texture(depths, vec3(uv, shade.r)), texture(cube, vec4(uv, 1.0, shade.g)), textureProj(depths, vec4(uv, shade.ba)), 1.0);
}
