#version 450
// refused: OpImageFetch is not covered
layout(set = 0, binding = 0) uniform sampler2D s;
layout(location = 0) out vec4 c;
void main() { c = texelFetch(s, ivec2(1), 0); }
