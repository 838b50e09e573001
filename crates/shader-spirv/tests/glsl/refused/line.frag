#version 450
// refused: images of dimension 1D are not covered
layout(set = 0, binding = 0) uniform sampler1D s;
layout(location = 0) out vec4 c;
void main() { c = texture(s, 0.5); }
