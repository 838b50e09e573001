#version 450
//! about Where the pixel is, which way it faces, which primitive it is of.
//! target rgba8
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;

void main() {
    gl_Position = position;
}
