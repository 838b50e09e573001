#version 450
// Who the vertex is and what it was given go to buffer 0, where it is to buffer 1. All of it is exact on every device.
#ifdef CAPTURED
#define TO(n, bytes, at) , xfb_buffer = n, xfb_stride = bytes, xfb_offset = at
layout(xfb_buffer = 1, xfb_stride = 20) out gl_PerVertex {
    layout(xfb_offset = 4) vec4 gl_Position;
    float gl_PointSize;
};
#else
#define TO(n, bytes, at)
#endif
layout(push_constant) uniform Push { uint add; } push;
layout(location = 0) in uvec2 given;
layout(location = 0 TO(0, 16, 0)) flat out uvec4 number;
void main() {
    number = uvec4(gl_VertexIndex, gl_InstanceIndex, given + push.add);
    gl_Position = vec4((vec2(given) + 0.5) * 0.125 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
