#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 control[];

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    control[gl_InvocationID] = given[gl_InvocationID];
    float level = 2.0 + float(gl_PrimitiveID & 1);
    gl_TessLevelInner[0] = level;
    gl_TessLevelInner[1] = 2.0;
    gl_TessLevelOuter[0] = level;
    gl_TessLevelOuter[1] = 3.0;
    gl_TessLevelOuter[2] = 1.0;
    gl_TessLevelOuter[3] = 4.0;
}
