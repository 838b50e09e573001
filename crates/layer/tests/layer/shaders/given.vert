#version 450
// As numbers.vert, for a geometry shader: nothing of it is captured.
layout(set = 0, binding = 0) uniform Add { uvec4 add; };
layout(location = 0) in uvec2 given;
layout(location = 0) flat out uvec4 number;
void main() {
    number = uvec4(gl_VertexIndex, gl_InstanceIndex, given) + add;
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
