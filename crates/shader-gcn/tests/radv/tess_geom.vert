#version 450
//! about Tessellation in front of a geometry shader.
//! target rgba8
//! patch 3
//! vertices 0 16 vertex 12 float
//! attribute 0 rgba32f 0 0
//! draw 12 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 given;

void main() {
    gl_Position = position;
    given = position.wzyx;
}
