#version 450
//! about Vertex attributes of many formats.
//! target rgba8
//! vertices 0 64 vertex 6 random
//! attribute 0 rgb32f 0 0
//! attribute 1 rg16f 0 12
//! attribute 2 rgba8 0 16
//! attribute 3 rgba8snorm 0 20
//! attribute 4 rgba16 0 24
//! attribute 5 rgba8ui 0 32
//! attribute 6 rg16i 0 36
//! attribute 7 rg16snorm 0 40
//! attribute 8 rgb10a2 0 44
//! draw 6 1 0 0
layout(location = 0) in vec3 a;
layout(location = 1) in vec2 b;
layout(location = 2) in vec4 c;
layout(location = 3) in vec4 d;
layout(location = 4) in vec4 e;
layout(location = 5) in uvec4 g;
layout(location = 6) in ivec2 h;
layout(location = 7) in vec2 i;
layout(location = 8) in vec4 j;
layout(location = 0) out vec4 shade;

void main() {
    gl_Position = vec4(a, 1.0) + vec4(b, i);
    shade = c + d * e + vec4(g) / 255.0 + vec4(vec2(h), 0.0, 0.0) + j;
}
