#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 given[];
layout(location = 0) out vec4 control[];

void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    control[gl_InvocationID] = given[gl_InvocationID];
    for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = float(1 + gl_PrimitiveID * (2 * i + 3) % 7);
    for (int i = 0; i < 2; i++) gl_TessLevelInner[i] = float(1 + gl_PrimitiveID * (i + 4) % 6);
}
