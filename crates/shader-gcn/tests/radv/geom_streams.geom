#version 450
layout(triangles) in;
layout(points, max_vertices = 7) out;
layout(location = 0) in vec4 given[];
layout(stream = 0, location = 0) out vec4 shade;
layout(stream = 0, location = 1, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 corner;
layout(stream = 1, location = 2, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 20) out vec3 edge;
layout(stream = 3, location = 3, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 8) out vec2 area;

void main() {
    vec3 a = gl_in[1].gl_Position.xyz - gl_in[0].gl_Position.xyz, b = gl_in[2].gl_Position.xyz - gl_in[0].gl_Position.xyz;
    float size = cross(a, b).z;
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        shade = given[i];
        corner = given[i] + 1.0;
        EmitStreamVertex(0);
        edge = gl_in[(i + 1) % 3].gl_Position.xyz - gl_in[i].gl_Position.xyz;
        if (edge.x > 0.0) EmitStreamVertex(1);
    }
    if (size < 0.0) return;
    area = vec2(size, float(gl_PrimitiveIDIn));
    EmitStreamVertex(3);
}
