#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec3 n = normalize(v0.xyz + vec3(0.1, 0.2, 3.0)), i = normalize(v1.xyz - vec3(0.3, 1.0, 4.0));
    vec3 r = reflect(i, n), t = refract(i, n, 0.8), f = faceforward(n, i, r), c = cross(n, i);
    color = vec4(r + c * 0.5, length(t)) + vec4(f, distance(v0, v1)) + refract(vec4(i, 0.1), vec4(n, 0.2), 1.4).xyzw;
    bits = uvec4(length(v0.x) > 1.0, 0, 0, 0);
}
