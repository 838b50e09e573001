#version 450
// refused: textures of integers are not covered
layout(set = 0, binding = 0) uniform isampler2D s;
layout(location = 0) out ivec4 c;
void main() { c = texture(s, vec2(0.5)); }
