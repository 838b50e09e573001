#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
float pick(float x) {
    if (x < -0.5) return x * 2.0;
    if (x < 0.5) {
        if (x > 0.25) return 17.0;
        x += 3.0;
    } else if (x > 1.25) {
        return -x;
    }
    return x * x;
}
void main() {
    float a = pick(v0.x) + 10.0 * pick(v0.y);
    bool big = v0.x > 0.0 && v0.y < 1.0 || v1.x > 1.0;
    color = big ? vec4(a) : vec4(1, 2, 3, a);
    if (big != (v0.z > 0.1)) color.y = 5.0; else { color.z = 6.0; if (a > 3.0) color.w = 7.0; }
    bits = uvec4(big, v0.x > v0.y ^^ big, 0, 0);
}
