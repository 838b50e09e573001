#version 450
layout(triangles, invocations = 6) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 shade;

void main() {
    for (int i = 0; i < 3; i++) {
        gl_Layer = gl_InvocationID;
        gl_Position = gl_in[i].gl_Position;
        shade = given[i] * float(gl_InvocationID);
        EmitVertex();
    }
}
