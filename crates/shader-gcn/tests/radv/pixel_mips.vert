#version 450
//! about Samples with bias, gradients, and levels that the derivatives choose.
//! target rgba16f
//! texture 0 4 2d rgba8 32x32 1 linear repeat random
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
