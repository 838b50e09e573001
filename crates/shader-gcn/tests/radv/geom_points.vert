#version 450
//! about A square of each point.
//! target rgba8
//! topology points
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 given;

void main() {
    gl_Position = position;
    given = position.wzyx;
}
