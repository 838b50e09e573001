#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 control[];
layout(location = 1) patch out vec4 tint;

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    control[gl_InvocationID] = given[gl_InvocationID];
    if (gl_InvocationID == 0) {
        tint = given[3];
        gl_TessLevelOuter[0] = 1.0;
        gl_TessLevelOuter[1] = 16.0;
    }
}
