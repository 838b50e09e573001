#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out uvec4 a;
layout(location = 1) out ivec4 b;
layout(location = 2) out uint c;
layout(location = 3) out ivec2 d;

void main() {
    a = uvec4(uv * 255.0, 1u, 2u);
    b = ivec4(-uv * 100.0, -1, 2);
    c = uint(uv.x * 1e6);
    d = ivec2(uv * 1000.0) - 500;
}
