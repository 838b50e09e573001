#version 450
#extension GL_EXT_buffer_reference : require
// refused: storage class PhysicalStorageBuffer
// target: vulkan1.2
layout(buffer_reference, std430) readonly buffer Vertices { vec4 at[]; };
layout(push_constant) uniform Push { vec4 first; vec4 other; Vertices vertices; };
void main() { gl_Position = vertices.at[gl_VertexIndex]; }
