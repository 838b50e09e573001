#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform samplerBuffer texels;

void main() {
    target = texelFetch(texels, int(gl_FragCoord.x) & 63) * shade;
}
