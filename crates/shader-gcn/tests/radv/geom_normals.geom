#version 450
layout(triangles) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 0) in vec3 direction[];
layout(location = 0) out vec3 colour;

void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        colour = vec3(1.0, 0.0, 0.0);
        EmitVertex();
        gl_Position = gl_in[i].gl_Position + vec4(direction[i] * 0.1, 0.0);
        colour = abs(normalize(direction[i]));
        EmitVertex();
        EndPrimitive();
    }
}
