#version 450
layout(triangles, invocations = 2) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 0) in vec4 inner[];
layout(location = 0) out vec4 shade;
layout(location = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 16) out vec4 place;

void main() {
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    for (int i = 0; i < 4; i++) {
        gl_Position = mix(gl_in[i % 3].gl_Position, middle, 0.2 + 0.3 * float(gl_InvocationID));
        shade = inner[i % 3];
        place = vec4(gl_Position.xy, float(gl_InvocationID), float(gl_in.length()));
        EmitVertex();
    }
}
