#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    int n = int(uv.x * 12.0);
    float sum = 0.0;
    for (int i = 0; i < n; i++) {
        if (i == 3) continue;
        if (i > 8) break;
        for (int j = 0; ; j++) {
            if (j * j > i + int(v0.y)) break;
            if ((j & 1) == 0) { sum += 0.5; continue; }
            sum += float(j) * v1.x;
        }
        sum += float(i);
    }
    int k = 0;
    do { k += 3; if (k == 9) { k = 20; continue; } sum -= 0.25; } while (k < n * 2);
    uint c = uint(n) * 7u + 1u;
    uint steps = 0u;
    while (c != 1u && steps < 100u) { c = (c & 1u) == 0u ? c >> 1 : 3u * c + 1u; steps++; }
    color = vec4(sum, k, n, c);
    bits = uvec4(steps, k, 0, 0);
}
