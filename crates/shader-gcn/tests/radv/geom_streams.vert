#version 450
//! about Streams of points out of triangles, each with outputs of its own; the third of four is empty.
//! target rgba8
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 given;

void main() {
    gl_Position = position;
    given = position.wzyx;
}
