#version 450
// refused: decoration Index is not covered here
layout(location = 0, index = 0) out vec4 c;
layout(location = 0, index = 1) out vec4 d;
void main() { c = vec4(1); d = vec4(0.5); }
