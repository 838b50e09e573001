#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 shade;

void main() {
    for (int i = 0; i < 4; i++) {
        gl_Position = gl_in[0].gl_Position + vec4(vec2(i & 1, i >> 1) * 0.1 - 0.05, 0.0, 0.0);
        shade = given[0];
        EmitVertex();
    }
    EndPrimitive();
}
