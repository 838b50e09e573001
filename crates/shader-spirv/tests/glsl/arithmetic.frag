#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec4 a = v0 * 1.5 + v1, b = v1 - v0 / 3.0;
    color = vec4(mod(a.x, 0.7), a.y / (abs(b.y) + 0.1), dot(a.xyz, b.zyx), -a.w);
    color.xy += fract(b.xy) * sign(a.zw) + floor(a.xy) - ceil(b.zw);
    color.z = mix(color.z, a.z, 0.25) + clamp(b.z, -0.5, 0.5);
    bits = uvec4(uint(v2.x) * 3u, uint(abs(v2.y)), uint(a.x > b.x), uint(int(floor(a.y)) + 10));
}
