#version 450
// A loop whose step is long and is reached from many places.
layout(location = 0) in vec4 v0;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    float s = 0.0, t = 1.0;
    vec4 q = v0;
    uint n = 0u;
    for (int i = 0; i < 14; i++, s += float(i) * 0.5, t = t * 0.75 - s, q = q.yzwx + vec4(s, t, 0.25, -0.125) * 0.5, n = n * 3u + uint(i), n ^= n >> 2) {
        if (i == int(uv.x * 9.0)) continue;
        s -= 0.25;
        if ((i & 3) == 2) { if (uv.y > 0.4) continue; t += 0.5; }
        switch (i % 5) {
        case 0: n += 7u; continue;
        case 1: { for (int j = 0; j < i; j++) { if (j > 3) break; n += uint(j); } if (n > 5000u) continue; break; }
        case 3: if (s > 30.0) break; s *= 0.5; continue;
        }
        if (n > 100000u) break;
        t -= 1.0;
    }
    color = q * 0.0625 + vec4(s, t * 0.01, 0, 1);
    bits = uvec4(n, 0, 0, 0);
}
