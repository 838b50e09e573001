#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
// Jumps out of several constructs at once, and values that outlive the branch that made them.
float search(int limit) {
    float best = -1.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            switch ((i * 4 + j + limit) % 7) {
            case 1: if (v0.x > 0.0) return float(i * 10 + j); break;
            case 2: { if (j == 3) continue; for (int k = 0; k < 3; k++) { if (k + i == limit) return best - float(k); if (k == j) break; best += 0.25; } } break;
            case 4: best += 1.0; if (best > 4.0) break; best += 2.0; break;
            default: if (best > 9.0) return best; best += 0.125;
            }
            if (best > 7.0 && j > 1) break;
        }
        if (best > 12.0) return 50.0;
    }
    return best;
}
void main() {
    float kept;
    if (uv.x < 0.1) { discard; } else { kept = v0.y * 2.0; }
    int limit = int(uv.y * 6.0);
    for (;;) {
        limit++;
        if (limit > 8) { kept += 1.0; break; }
        if (uv.x > 0.6) { kept += search(limit); if (kept > 3.0) break; continue; }
        kept -= 0.5;
    }
    color = vec4(kept, search(limit), search(limit - 3), 1.0);
    bits = uvec4(limit);
}
