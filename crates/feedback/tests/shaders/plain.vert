#version 450
// Has no captures of its own: whoever lowers it says what to capture.
layout(location = 0) in vec4 place;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec2 where;
layout(location = 1) out vec4 doubled;
void main() {
    gl_Position = place;
    where = uv + vec2(0.5);
    doubled = place * 2.0;
}
