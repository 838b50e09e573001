#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform Lights { vec4 places[3]; vec4 colours[3]; };

void main() {
    vec3 n = normalize(vec3(uv, 1.0)), v = vec3(0.0, 0.0, 1.0), sum = vec3(0.0);
    float rough = shade.a * shade.a;
    for (int i = 0; i < 3; i++) {
        vec3 l = normalize(places[i].xyz), h = normalize(l + v);
        float nl = max(dot(n, l), 0.0), nh = max(dot(n, h), 0.0), nv = max(dot(n, v), 0.001);
        float d = nh * nh * (rough * rough - 1.0) + 1.0;
        float g = nl / (nl * (1.0 - rough) + rough) / (nv * (1.0 - rough) + rough);
        vec3 f = shade.rgb + (1.0 - shade.rgb) * pow(1.0 - max(dot(h, v), 0.0), 5.0);
        sum += f * (rough * rough / (3.14159 * d * d) * g * nl) * colours[i].rgb;
    }
    target = vec4(pow(sum, vec3(1.0 / 2.2)), 1.0);
}
