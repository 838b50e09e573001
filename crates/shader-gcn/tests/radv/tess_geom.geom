#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 inner[];
layout(location = 0) out vec4 shade;

void main() {
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    for (int i = 0; i < 3; i++) {
        gl_Position = mix(gl_in[i].gl_Position, middle, 0.2);
        shade = inner[i];
        EmitVertex();
    }
}
