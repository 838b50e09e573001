#version 450
//! about Skinning with weights and matrices in a buffer, in a loop.
//! target rgba8
//! buffer 0 4096 float
//! vertices 0 20 vertex 6 random
//! attribute 0 rgb32f 0 0
//! attribute 1 rgba8 0 12
//! attribute 2 rgba8ui 0 16
//! draw 6 1 0 0
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 weights;
layout(location = 2) in uvec4 bones;
layout(location = 0) out vec4 shade;
layout(binding = 0) readonly buffer Bones { mat4 matrices[]; };

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        if (weights[i] == 0.0) break;
        sum += matrices[bones[i] & 63u] * vec4(position, 1.0) * weights[i];
    }
    gl_Position = sum;
    shade = weights;
}
