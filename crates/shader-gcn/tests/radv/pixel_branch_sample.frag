#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) uniform sampler2D image;

void main() {
    vec2 dx = dFdx(uv), dy = dFdy(uv);
    vec4 c = shade;
    if (uv.x > 0.5) {
        c = textureGrad(image, uv, dx, dy);
        if (c.a < 0.1) discard;
    }
    target = c;
}
