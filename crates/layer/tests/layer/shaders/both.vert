#version 450
// Captures, and stores.
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(location = 0, xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0) flat out uint number;
void main() {
    words[gl_VertexIndex] = 1u;
    number = gl_VertexIndex;
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
