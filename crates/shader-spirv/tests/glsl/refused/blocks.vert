#version 450
// refused: an array of uniform blocks with an index that is no constant is not covered
layout(set = 0, binding = 0) uniform Block { vec4 a; } blocks[4];
void main() { gl_Position = blocks[gl_InstanceIndex].a; }
