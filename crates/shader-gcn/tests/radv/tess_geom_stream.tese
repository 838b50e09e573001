#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(location = 0) in vec4 control[];
layout(location = 0) out vec4 inner;

void main() {
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    gl_Position = mix(low, high, gl_TessCoord.y);
    inner = mix(control[0], control[2], gl_TessCoord.x);
}
