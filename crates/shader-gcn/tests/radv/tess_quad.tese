#version 450
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec3 corner[];
layout(location = 0) out vec2 uv;

void main() {
    uv = gl_TessCoord.xy;
    vec3 a = mix(corner[0], corner[1], uv.x), b = mix(corner[3], corner[2], uv.x);
    gl_Position = vec4(mix(a, b, uv.y) / 8.0, 1.0);
}
