#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() { color = v0; bits = uvec4(1, 2, 3, 4); gl_FragDepth = uv.x < 0.5 ? 0.25 : uv.y; }
