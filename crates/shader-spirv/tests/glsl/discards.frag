#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void cut(float x) { if (x > 0.9) discard; }
void main() {
    if (uv.x < 0.2) discard;
    cut(uv.y);
    color = v0;
    bits = uvec4(gl_FrontFacing, gl_FragCoord.xy, 1);
    if (uv.x > 0.7 && uv.y < 0.3) { color.x = 5.0; discard; }
    color.w = gl_FragCoord.z + gl_FragCoord.w;
}
