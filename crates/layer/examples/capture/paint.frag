#version 450
layout(location = 0) flat in uvec4 number;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(number.xyz & 15u, 15.0) / 15.0;
}
