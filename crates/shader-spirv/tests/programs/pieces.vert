#version 450
// target: vulkan1.1
// Blocks in an array, each of which is captured into a buffer of its own, and structs that are captured as a whole.
struct Part { vec2 a; float b[2]; ivec3 c; };
layout(location = 0) in vec4 position;
layout(location = 0, xfb_buffer = 1, xfb_stride = 36) out Piece {
    layout(xfb_offset = 4) vec3 at;
    layout(xfb_offset = 16) float size;
} pieces[2];
layout(location = 4, xfb_buffer = 0, xfb_stride = 64, xfb_offset = 8) flat out Part parts[2];
void main() {
    for (int i = 0; i < 2; ++i) {
        parts[i].a = position.xy;
        parts[i].b[i] = position.z;
        parts[i].c = ivec3(gl_VertexIndex, i, 7);
    }
    pieces[0].at = position.xyz;
    pieces[1].at = position.zyx;
    pieces[1].size = position.w;
    gl_Position = position;
}
