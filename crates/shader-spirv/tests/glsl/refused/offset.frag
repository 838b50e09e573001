#version 450
// refused: image operand ConstOffset is not covered; Bias, Lod and Grad are
layout(set = 0, binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 c;
void main() { c = textureOffset(s, vec2(0.5), ivec2(1, 0)); }
