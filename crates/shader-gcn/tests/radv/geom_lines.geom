#version 450
layout(lines) in;
layout(line_strip, max_vertices = 16) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 shade;

void main() {
    int n = int(abs(given[0].x)) & 15;
    for (int i = 0; i <= n && i < 16; i++) {
        float t = float(i) / float(max(n, 1));
        gl_Position = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t);
        shade = mix(given[0], given[1], t) + float(gl_PrimitiveIDIn);
        EmitVertex();
        if (i == 7) EndPrimitive();
    }
}
