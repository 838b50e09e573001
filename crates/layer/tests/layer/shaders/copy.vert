#version 450
// Captures nothing, and stores the first of what numbers.vert adds, in the place of the instance.
layout(set = 0, binding = 0) uniform Add { uvec4 add; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };
void main() {
    words[gl_InstanceIndex] = add.x;
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
