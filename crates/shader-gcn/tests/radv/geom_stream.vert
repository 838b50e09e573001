#version 450
//! about Stream-out behind a geometry shader, which drops some triangles.
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
