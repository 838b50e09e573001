#version 450
// Everything that can be captured, into three buffers: blocks in an array, structs, matrices, builtins, with gaps between them.
layout(set = 0, binding = 0, std140) uniform Block { vec4 tint; vec3 axis; float scale; mat3 turn; } u;
layout(push_constant) uniform Push { vec4 first; ivec3 other; } push;
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in ivec4 a2;
struct Part { vec2 a; float b[2]; ivec3 c; };
layout(location = 0, xfb_buffer = 0, xfb_stride = 80, xfb_offset = 4) out vec4 a;
layout(location = 1, xfb_buffer = 0, xfb_offset = 24) flat out uvec4 b;
layout(location = 3, xfb_buffer = 1, xfb_stride = 64) out Piece {
    layout(xfb_offset = 4) vec3 at;
    layout(xfb_offset = 24) float size;
} pieces[2];
layout(location = 2, component = 0, xfb_buffer = 3, xfb_stride = 96, xfb_offset = 60) out vec2 low;
layout(location = 2, component = 2, xfb_buffer = 3, xfb_offset = 52) out vec2 high;
layout(location = 7, xfb_buffer = 3, xfb_offset = 4) flat out Part part;
layout(location = 12, xfb_buffer = 3, xfb_offset = 68) out mat2x3 turned;
layout(xfb_buffer = 0) out gl_PerVertex {
    layout(xfb_offset = 44) vec4 gl_Position;
    layout(xfb_offset = 60) float gl_PointSize;
    layout(xfb_offset = 64) float gl_ClipDistance[3];
};
uint hash(uint x) {
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}
void main() {
    gl_Position = vec4(float(gl_VertexIndex) / 8.0 + 0.0625 - 1.0, float(gl_InstanceIndex) - 0.5, 0.25, 1.0);
    gl_PointSize = 1.0;
    for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = 1.0 + float(i) + 0.25 * float(gl_InstanceIndex);
    b = uvec4(hash(uint(a2.x)), hash(uint(gl_VertexIndex)), uint(push.other.y), floatBitsToUint(a1.x));
    a = vec4(0.5);
    low = a0.xy;
    high = a1.zw * u.scale;
    part.a = a0.zw;
    part.b[gl_VertexIndex & 1] = 2.0;
    part.b[~gl_VertexIndex & 1] = 3.0;
    part.c = a2.xyz + push.other;
    turned = mat2x3(u.turn[0], u.turn[2] * a0.x);
    pieces[0].at = u.axis;
    pieces[0].size = a0.x;
    pieces[1].at = a1.xyz;
    pieces[1].size = 4.0;
    if ((a2.x & 1) != 0) return;
    a = push.first + u.tint;
    pieces[gl_InstanceIndex & 1].size += 0.5;
}
