#version 450
// refused: array textures are not covered
layout(set = 0, binding = 0) uniform sampler2DArray s;
layout(location = 0) out vec4 c;
void main() { c = texture(s, vec3(0.5)); }
