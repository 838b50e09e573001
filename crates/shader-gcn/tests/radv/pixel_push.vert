#version 450
//! about Push constants in both stages.
//! target rgba8
//! push 1.0 0.5 0.25 1.0 0.125 0.25
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec2 uv;
layout(push_constant) uniform Push { vec4 tint; vec2 move; };

void main() {
    gl_Position = position + vec4(move, 0.0, 0.0);
    uv = position.xy;
}
