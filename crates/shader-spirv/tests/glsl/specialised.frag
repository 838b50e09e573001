#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
layout(constant_id = 3) const int count = 4;
layout(constant_id = 7) const float factor = 1.5;
layout(constant_id = 9) const bool flip = true;
const int twice = count * 2 + 1;
float list[count];
void main() {
    for (int i = 0; i < count; i++) list[i] = float(i) * factor;
    color = v0 * factor + list[int(uv.x * float(count))] + float(twice);
    if (flip) color = color.wzyx;
    bits = uvec4(count, twice, flip, count > 3 ? 1 : 0);
}
