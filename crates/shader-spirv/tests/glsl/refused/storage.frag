#version 450
// refused: storage class Uniform of a BufferBlock (a storage buffer) is not covered
layout(set = 0, binding = 0) buffer Block { vec4 v[]; } b;
layout(location = 0) out vec4 c;
void main() { c = b.v[2]; }
