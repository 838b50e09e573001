#version 450
// Numbers of the vertex and the instance, an attribute, and a block. Where it is drawn, its number says.
layout(set = 0, binding = 0) uniform Add { uvec4 add; };
layout(location = 0) in uvec2 given;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) flat out uvec4 number;
void main() {
    number = uvec4(gl_VertexIndex, gl_InstanceIndex, given) + add;
    gl_Position = vec4((vec2(number.x * 7u & 15u, number.z & 15u) + 0.5) * 0.125 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
