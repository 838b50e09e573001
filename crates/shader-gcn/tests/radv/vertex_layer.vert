#version 450
//! about A layer and a viewport from the vertex shader.
//! target rgba8
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 4 0 0
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 shade;

void main() {
    gl_Position = position;
    gl_Layer = gl_InstanceIndex & 1;
    gl_ViewportIndex = gl_InstanceIndex >> 1;
    shade = position;
}
