#version 450
//! about Stream-out: what the vertex shader captures.
//! target rgba8
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 shade;
layout(xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32, location = 1) out vec4 first;
layout(xfb_buffer = 0, xfb_offset = 16, location = 2) out vec3 second;
layout(xfb_buffer = 1, xfb_offset = 4, xfb_stride = 8, location = 3) out float third;

void main() {
    gl_Position = position;
    shade = position;
    first = position * 2.0;
    second = position.zyx;
    third = position.x + position.y;
}
