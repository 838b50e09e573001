#version 450
//! about Each triangle and a line for each of its corners.
//! vertices 0 32 vertex 6 float
//! attribute 0 rgb32f 0 0
//! attribute 1 rgb32f 0 16
//! draw 6 1 0 0
//! target rgba8
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 direction;

void main() {
    gl_Position = vec4(position * 0.1, 1.0);
    direction = normal;
}
