#version 450
// refused: gathering a component other than 0 is not covered
layout(set = 0, binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 c;
void main() { c = textureGather(s, vec2(0.5), 2); }
