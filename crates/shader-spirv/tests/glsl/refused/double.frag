#version 450
// refused: capability Float64 is not covered; covered are Matrix, Shader
layout(location = 0) out vec4 c;
layout(location = 0) flat in double d;
void main() { c = vec4(d); }
