#version 450
//! about The least: a position and a colour from a vertex buffer.
//! vertices 0 32 vertex 6 float
//! attribute 0 rgba32f 0 0
//! attribute 1 rgba8 0 16
//! draw 6 1 0 0
//! target rgba8
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;

void main() {
    gl_Position = position;
    shade = colour;
}
