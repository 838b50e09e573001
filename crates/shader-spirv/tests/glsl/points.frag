#version 450
// Shows what the vertex shaders wrote.
layout(location = 0) in vec4 a;
layout(location = 1) flat in uvec4 b;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() { color = a; bits = b; }
