#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform samplerCube cube;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform sampler3D volume;

void main() {
    target = texture(cube, vec3(uv, 0.5)) + texture(layers, vec3(uv, shade.r * 3.0)) * texture(volume, vec3(uv, shade.g));
}
