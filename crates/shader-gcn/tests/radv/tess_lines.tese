#version 450
layout(isolines, fractional_even_spacing) in;
layout(location = 0) in vec4 control[];
layout(location = 1) patch in vec4 tint;
layout(location = 0) out vec4 shade;

void main() {
    float t = gl_TessCoord.x, s = 1.0 - t;
    gl_Position = s * s * s * gl_in[0].gl_Position + 3.0 * s * s * t * gl_in[1].gl_Position + 3.0 * s * t * t * gl_in[2].gl_Position + t * t * t * gl_in[3].gl_Position;
    shade = mix(control[0], control[3], t) + tint;
}
