#version 450
// A triangle for each line: its two ends, and a tip above the middle.
layout(lines) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec2 where[];
layout(xfb_buffer = 0, xfb_stride = 24) out gl_PerVertex {
    layout(xfb_offset = 0) vec4 gl_Position;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 24, xfb_offset = 16) out vec2 at;
void main() {
    for (int i = 0; i < 2; i++) {
        gl_Position = gl_in[i].gl_Position;
        at = where[i];
        EmitVertex();
    }
    gl_Position = (gl_in[0].gl_Position + gl_in[1].gl_Position) * 0.5 + vec4(0.0, 1.0, 0.0, 0.0);
    at = (where[0] + where[1]) * 0.5;
    EmitVertex();
    EndPrimitive();
}
