#version 450
// An index into an array of blocks that is a constant by another name, as Mesa's zink writes it.
layout(set = 0, binding = 0) uniform Block { vec4 shift; } blocks[1];
layout(location = 0) in vec4 place;
layout(xfb_buffer = 0, xfb_stride = 16) out gl_PerVertex {
    layout(xfb_offset = 0) vec4 gl_Position;
};
void main() {
    gl_Position = place + blocks[floatBitsToUint(0.0)].shift;
}
