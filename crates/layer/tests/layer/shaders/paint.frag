#version 450
// What waves.vert gives, and a push constant behind its own.
layout(location = 0) in vec3 tint;
layout(location = 4) in vec4 rest;
layout(push_constant) uniform Push { layout(offset = 12) float shade; } push;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(tint * push.shade, rest.x * 0.25);
}
