#version 450
layout(vertices = 4) out;
layout(location = 0) in vec3 place[];
layout(location = 0) out vec3 corner[];

void main() {
    corner[gl_InvocationID] = place[gl_InvocationID];
    if (gl_InvocationID == 0) {
        float near = 8.0 / max(length(place[0]), 1.0);
        gl_TessLevelInner[0] = near;
        gl_TessLevelInner[1] = near;
        for (int i = 0; i < 4; i++) {
            gl_TessLevelOuter[i] = distance(place[i], place[(i + 1) & 3]);
        }
    }
}
