#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 control[];
layout(location = 0) out vec4 shade;
layout(binding = 0) uniform sampler2D heights;

void main() {
    vec4 a = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x), b = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x);
    gl_Position = mix(a, b, gl_TessCoord.y);
    gl_Position.z += textureLod(heights, gl_TessCoord.xy, 0.0).x;
    shade = control[int(gl_TessCoord.x * 3.0)] + float(gl_PrimitiveID);
}
