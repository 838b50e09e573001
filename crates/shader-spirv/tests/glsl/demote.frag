#version 450
#extension GL_EXT_demote_to_helper_invocation : require
// target: vulkan1.3
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    color = v0;
    if (uv.x < 0.3) demote;
    color += vec4(dFdx(v0.x));
    bits = uvec4(3);
}
