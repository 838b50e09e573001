#version 450
// target: vulkan1.1
// Instances with a matrix each, a colour by number, and push constants that begin behind another stage's.
layout(push_constant) uniform Push { layout(offset = 16) mat4 projection; vec2 jitter; uint seed; } push;
layout(location = 0) in vec4 position;
layout(location = 1) in mat4x3 place;
layout(location = 0, xfb_buffer = 1, xfb_stride = 24) out Out {
    layout(xfb_offset = 4) vec4 colour;
    uint id;
} result;
layout(xfb_buffer = 0, xfb_stride = 32) out gl_PerVertex {
    layout(xfb_offset = 8) vec4 gl_Position;
    layout(xfb_offset = 24) float gl_PointSize;
    float gl_ClipDistance[2];
};
uint hash(uint x) {
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}
void main() {
    uint id = hash(uint(gl_InstanceIndex) * 977u + push.seed);
    vec3 world = place * position;
    vec4 clip = push.projection * vec4(world, 1.0);
    clip.xy += push.jitter * clip.w;
    result.colour = unpackUnorm4x8(id);
    result.id = id;
    gl_Position = clip;
    gl_PointSize = 1.0 + float(id & 7u);
    gl_ClipDistance[0] = world.y;
    gl_ClipDistance[1] = dot(vec4(world, 1.0), vec4(0.6, 0.0, 0.8, -1.0));
}
