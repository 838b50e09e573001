#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;

float map(vec3 p) {
    return min(length(p - vec3(0.0, 0.0, 3.0)) - 1.0, p.y + 1.0);
}

void main() {
    vec3 d = normalize(vec3(uv * 2.0 - 1.0, 1.5));
    float t = 0.0;
    for (int i = 0; i < 48; i++) {
        float h = map(d * t);
        if (h < 0.001 || t > 20.0) break;
        t += h;
    }
    if (t > 20.0) {
        target = vec4(0.2, 0.4, 0.8, 1.0);
        return;
    }
    vec3 p = d * t;
    vec2 e = vec2(0.001, 0.0);
    vec3 n = normalize(vec3(map(p + e.xyy), map(p + e.yxy), map(p + e.yyx)) - map(p));
    target = vec4(vec3(max(dot(n, normalize(vec3(1.0, 2.0, -1.0))), 0.0)), 1.0);
}
