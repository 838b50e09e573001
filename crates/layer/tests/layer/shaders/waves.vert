#version 450
// A sheet that waves, as in the tests of afterimage-feedback, and points of one pixel.
layout(set = 0, binding = 0) uniform Sheet {
    mat4 turn;
    vec4 heights[4];
} sheet;
layout(set = 1, binding = 3) uniform Tints {
    vec3 tint;
    uint salt;
} tints;
layout(push_constant) uniform Push {
    vec2 scale;
    float level;
} push;

layout(location = 0) in vec3 place;
layout(location = 1) in vec4 colour;
layout(location = 2) in vec2 shift;
layout(location = 4) in uvec2 ids;

layout(xfb_buffer = 0, xfb_stride = 48) out gl_PerVertex {
    layout(xfb_offset = 0) vec4 gl_Position;
    float gl_PointSize;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 48, xfb_offset = 20) out vec3 tint;
layout(location = 1, xfb_buffer = 1, xfb_stride = 28, xfb_offset = 4) flat out uvec2 number;
layout(location = 2, xfb_buffer = 1, xfb_stride = 28, xfb_offset = 16) out float steps[2];
// Nobody captures this.
layout(location = 4) out vec4 rest;

float height(uint at) {
    return at > 9u ? push.level : sheet.heights[at & 3u].x;
}

void main() {
    gl_PointSize = 1.0;
    vec3 at = place * vec3(push.scale, 1.0) + vec3(shift, height(ids.x));
    gl_Position = sheet.turn * vec4(at, 1.0);
    tint = colour.bgr * tints.tint;
    number = uvec2(uint(gl_VertexIndex) * 3u + tints.salt, uint(gl_InstanceIndex) ^ ids.y);
    float sum = 0.0;
    for (uint i = 0u; i < (ids.x & 3u); i++) {
        if (i == 2u) break;
        sum += sheet.heights[i].y;
    }
    steps[0] = sum;
    steps[1] = colour.a;
    rest = vec4(sum);
}
