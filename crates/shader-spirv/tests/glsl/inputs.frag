#version 450
// An array of inputs, indexed by what is no constant.
layout(location = 0) in vec4 v[2];
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    int n = int(uv.x * 2.0) & 1, m = int(uv.y * 4.0) & 3;
    color = v[n] + vec4(v[1 - n][m], v[0][m], v[n].y, 1.0);
    bits = uvec4(n, m, 0, 1);
}
