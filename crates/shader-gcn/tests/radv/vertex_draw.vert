#version 450
//! about What a draw tells a vertex: first vertex, first instance, numbers.
//! target rgba8
//! draw 3 2 5 7
#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) out vec4 shade;

void main() {
    gl_Position = vec4(float(gl_VertexIndex), float(gl_InstanceIndex), 0.0, 1.0);
    shade = vec4(float(gl_BaseVertexARB), float(gl_BaseInstanceARB), float(gl_DrawIDARB), 1.0);
}
