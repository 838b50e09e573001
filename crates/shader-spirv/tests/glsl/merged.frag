#version 450
// debug
// Variables that share locations.
layout(location = 0, component = 0) in vec2 low;
layout(location = 0, component = 2) in float high;
layout(location = 0, component = 3) in float last;
layout(location = 1) in vec4 v1;
layout(location = 0, component = 0) out vec3 color;
layout(location = 0, component = 3) out float alpha;
layout(location = 1) out uvec4 bits;
void main() {
    color = vec3(low.yx, high) + v1.xyz;
    alpha = last;
    bits = uvec4(1, 2, 3, 4);
}
