#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    int n = int(uv.x * 8.0);
    float x = 0.0;
    switch (n) {
    case 0: x = 1.0; break;
    case 1: x = 2.0;
    case 2: x += 10.0; if (v0.y > 0.5) break; x += 100.0;
    case 3: x += 1000.0; break;
    case 5: case 6: { for (int i = 0; i < 5; i++) { if (i == int(v0.y) + 2) break; x += 0.5; } break; }
    default: x = -3.0;
    }
    uint y = 0u;
    for (int i = 0; i < 6; i++) {
        switch (i + n) {
        case 3: y += 1u; continue;
        case 4: y *= 2u; break;
        case 7: y += 100u;
        default: y += 3u; break;
        case 9: y = 5u; if (y > 2u) continue; y = 9u;
        }
        y += 1000u;
    }
    switch (v2.x) { default: break; }
    color = vec4(x, n, 0, 1);
    bits = uvec4(y, 0, 0, 0);
}
