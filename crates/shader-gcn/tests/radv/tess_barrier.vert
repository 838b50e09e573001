#version 450
//! about Corners of a patch that see one another behind a barrier, and a height map.
//! target rgba8
//! patch 4
//! texture 0 1 2d r32f 16x16 1 linear edge unit
//! vertices 0 16 vertex 12 float
//! attribute 0 rgba32f 0 0
//! draw 12 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 given;

void main() {
    gl_Position = position;
    given = position.wzyx;
}
