#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
layout(set = 0, binding = 5) uniform texture2D images[2];
layout(set = 0, binding = 6) uniform sampler one;
layout(set = 0, binding = 1) uniform sampler2D flat2;
vec4 look(sampler2D s, vec2 at) { return textureLod(s, at, 0.0); }
void main() {
    color = texture(sampler2D(images[1], one), uv) + look(flat2, uv.yx) + textureLod(sampler2D(images[0], one), uv * 0.5, 0.0);
    bits = uvec4(0);
}
