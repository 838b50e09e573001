#version 450
// refused: an array of textures with an index that is no constant is not covered
layout(set = 0, binding = 0) uniform sampler2D s[4];
layout(location = 0) flat in int i;
layout(location = 0) out vec4 c;
void main() { c = texture(s[i], vec2(0.5)); }
