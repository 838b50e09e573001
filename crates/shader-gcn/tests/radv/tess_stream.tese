#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 control[];
layout(location = 0) out vec4 shade;
layout(location = 1, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec3 place;
layout(location = 1, component = 3, xfb_buffer = 0, xfb_offset = 12) out float number;
layout(location = 2, xfb_buffer = 2, xfb_offset = 4, xfb_stride = 12) out vec2 uv;

void main() {
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    gl_Position = mix(low, high, gl_TessCoord.y);
    shade = mix(control[0], control[2], gl_TessCoord.x);
    place = gl_Position.xyz;
    number = float(gl_PrimitiveID);
    uv = gl_TessCoord.xy;
}
