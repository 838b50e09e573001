#version 450
//! about A vertex shader alone, for a depth pass.
//! depth
//! vertices 0 12 vertex 6 float
//! attribute 0 rgb32f 0 0
//! uniform 0 64 float
//! draw 6 1 0 0
layout(location = 0) in vec3 position;
layout(binding = 0) uniform Matrices { mat4 to_clip; };

void main() {
    gl_Position = to_clip * vec4(position, 1.0);
}
