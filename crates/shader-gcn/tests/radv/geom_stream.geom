#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 shade;
layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16, location = 1) out vec4 captured;

void main() {
    vec3 a = gl_in[1].gl_Position.xyz - gl_in[0].gl_Position.xyz, b = gl_in[2].gl_Position.xyz - gl_in[0].gl_Position.xyz;
    if (cross(a, b).z < 0.0) return;
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        shade = given[i];
        captured = given[i] + 1.0;
        EmitVertex();
    }
}
