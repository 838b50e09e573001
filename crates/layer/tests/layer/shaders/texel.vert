#version 450
// Captures a texel, which a set has, by a sampler, which another one's layout has.
layout(set = 0, binding = 0) uniform texture2D texels;
layout(set = 1, binding = 0) uniform sampler sampled;
layout(location = 0) in uvec2 given;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) flat out uvec4 number;
void main() {
    vec2 place = vec2(given & 15u) * 0.25 - 0.875;
    number = uvec4(textureLod(sampler2D(texels, sampled), place, 0.0) * 255.0 + 0.5);
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
