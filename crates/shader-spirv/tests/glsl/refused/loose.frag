#version 450
// refused: image operand Offset that is no constant of -8 to 7 is not covered
layout(set = 0, binding = 0) uniform sampler2D heights;
layout(location = 0) flat in ivec2 at;
layout(location = 0) out vec4 colour;
void main() { colour = textureGatherOffset(heights, vec2(0.5), at); }
