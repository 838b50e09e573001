#version 450
//! about Tessellation, a geometry shader of several instances, and stream-out behind it.
//! target rgba8
//! patch 4
//! vertices 0 16 vertex 12 float
//! attribute 0 rgba32f 0 0
//! draw 12 2 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 given;

void main() {
    gl_Position = position + vec4(float(gl_InstanceIndex), 0.0, 0.0, 0.0);
    given = position.wzyx;
}
