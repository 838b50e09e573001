#version 450
layout(triangles_adjacency) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 shade;

float facing(int a, int b, int c) {
    vec2 p = gl_in[b].gl_Position.xy - gl_in[a].gl_Position.xy, q = gl_in[c].gl_Position.xy - gl_in[a].gl_Position.xy;
    return p.x * q.y - p.y * q.x;
}

void main() {
    if (facing(0, 2, 4) <= 0.0) return;
    for (int i = 0; i < 6; i += 2) {
        if (facing(i, i + 1, (i + 2) % 6) > 0.0) continue;
        gl_Position = gl_in[i].gl_Position;
        shade = given[i];
        EmitVertex();
        gl_Position = gl_in[(i + 2) % 6].gl_Position;
        shade = given[(i + 2) % 6];
        EmitVertex();
        EndPrimitive();
    }
}
