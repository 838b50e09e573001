#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 control[];

void main() {
    control[gl_InvocationID] = given[gl_InvocationID] * 2.0;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    barrier();
    vec4 next = control[(gl_InvocationID + 1) & 3];
    gl_TessLevelOuter[gl_InvocationID] = clamp(length(next - control[gl_InvocationID]), 1.0, 16.0);
    if (gl_InvocationID < 2) gl_TessLevelInner[gl_InvocationID] = 4.0;
}
