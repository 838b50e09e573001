#version 450
// Captures nothing, and stores what numbers.vert adds.
layout(set = 0, binding = 1) buffer Words { uvec4 add; };
void main() {
    add = uvec4(7000, 700, 70, 7);
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
