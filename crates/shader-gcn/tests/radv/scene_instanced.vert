#version 450
//! about Scene: instances with a place and a colour each.
//! target rgba8
//! vertices 0 8 vertex 6 float
//! vertices 1 20 instance 8 float
//! attribute 0 rg32f 0 0
//! attribute 1 rgba32f 1 0
//! attribute 2 rgba8 1 16
//! draw 6 8 0 0
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 place;
layout(location = 2) in vec4 colour;
layout(location = 0) flat out vec4 shade;

void main() {
    float angle = place.w + float(gl_InstanceIndex) * 0.25;
    mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    gl_Position = vec4(turn * corner * place.z + place.xy, 0.0, 1.0);
    shade = colour;
}
