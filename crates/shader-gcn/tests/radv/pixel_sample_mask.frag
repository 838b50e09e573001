#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 target;

void main() {
    gl_SampleMask[0] = uv.x > 0.5 ? 5 : gl_SampleMaskIn[0];
    target = vec4(uv, gl_SamplePosition);
}
