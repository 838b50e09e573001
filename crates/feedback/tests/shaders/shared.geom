#version 450
// Components of one location in two streams, as Mesa's zink writes them.
layout(points) in;
layout(points, max_vertices = 2) out;
layout(stream = 0, location = 1, component = 2, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) out float first;
layout(stream = 1, location = 1, component = 0, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 0) out vec2 second;
void main() {
    first = gl_in[0].gl_Position.x;
    EmitStreamVertex(0);
    second = gl_in[0].gl_Position.yz;
    EmitStreamVertex(1);
}
