#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
const float table[7] = float[](0.5, -1.0, 2.25, 3.0, -4.5, 8.0, 0.125);
struct Item { vec3 place; float weight; int ids[3]; };
void main() {
    int n = int(uv.x * 7.0), m = int(uv.y * 4.0);
    Item items[4];
    for (int i = 0; i < 4; i++) {
        items[i].place = v0.xyz * float(i) + table[(i + n) % 7];
        items[i].weight = table[i];
        for (int j = 0; j < 3; j++) items[i].ids[j] = i * 3 + j + n;
    }
    items[m & 3].place.y = 100.0;
    items[(m + 1) & 3].place[n % 3] += 7.0;
    Item copy = items[(n + m) & 3];
    vec4 grid[2][3];
    for (int i = 0; i < 6; i++) grid[i / 3][i % 3] = vec4(i, n, m, i * i);
    color = vec4(copy.place, copy.weight + table[n % 7]) + grid[m & 1][n % 3];
    bits = uvec4(copy.ids[n % 3], items[1].ids[2], uint(copy == items[0]), 0);
}
