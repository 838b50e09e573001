#version 450
// refused: OpImageQuerySizeLod is not covered
layout(set = 0, binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 c;
void main() { c = vec4(textureSize(s, 0), 0, 1); }
