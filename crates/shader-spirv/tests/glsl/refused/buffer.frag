#version 450
// refused: storage class StorageBuffer is not covered
// target: vulkan1.3
layout(set = 0, binding = 0) buffer Block { vec4 v[4]; } b;
layout(location = 0) out vec4 c;
void main() { c = b.v[2]; }
