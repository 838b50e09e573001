#version 450
//! about Stores and atomic operations of pixels.
//! target rgba8
//! buffer 0 64 zero
//! image 1 2d r32ui 16x16 1 zero
//! vertices 0 28 vertex 6 float
//! attribute 0 rgba32f 0 0
//! attribute 1 rg32f 0 16
//! attribute 2 rgba8 0 24
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 1) in vec2 place;
layout(location = 2) in vec4 colour;
layout(location = 0) out vec2 uv;
layout(location = 1) out vec4 shade;

void main() {
    gl_Position = position;
    uv = place;
    shade = colour;
}
