#version 450
//! about Scene: a triangle over the screen without vertices, and a vignette.
//! target rgba8
//! texture 0 1 2d rgba8 16x16 1 linear edge random
//! draw 3 1 0 0
layout(location = 0) out vec2 uv;

void main() {
    uv = vec2(gl_VertexIndex & 2, (gl_VertexIndex << 1) & 2);
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
}
