#version 450
// Outputs for transform feedback.
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
layout(location = 0, xfb_buffer = 0, xfb_stride = 48, xfb_offset = 0) out vec4 a;
layout(location = 1) flat out uvec4 b;
layout(location = 2, xfb_buffer = 1, xfb_stride = 32, xfb_offset = 4) out vec2 pair[2];
layout(xfb_buffer = 0, xfb_stride = 48) out gl_PerVertex {
    layout(xfb_offset = 16) vec4 gl_Position;
    float gl_PointSize;
};
void main() {
    gl_Position = vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0);
    gl_PointSize = 1.0;
    a = a0 * a1;
    b = uvec4(a2);
    pair[0] = a0.xy;
    pair[1] = a1.zw;
}
