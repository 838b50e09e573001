#version 450
layout(triangles, equal_spacing, cw) in;
layout(location = 0) in vec4 control[];
layout(location = 0) out vec4 inner;

void main() {
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
    inner = gl_TessCoord.x * control[0] + gl_TessCoord.y * control[1] + gl_TessCoord.z * control[2];
}
