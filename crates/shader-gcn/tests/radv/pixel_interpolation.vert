#version 450
//! about Flat, linear, centroid and sample inputs.
//! target rgba16f
//! samples 4
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) flat out uvec2 numbers;
layout(location = 1) noperspective out vec2 screen;
layout(location = 2) centroid out vec2 middle;
layout(location = 3) out vec3 smoothed;
layout(location = 4) sample out float each;

void main() {
    gl_Position = position;
    numbers = uvec2(gl_VertexIndex, gl_InstanceIndex);
    screen = position.xy;
    middle = position.yx;
    smoothed = position.xyz * 0.5;
    each = position.w;
}
