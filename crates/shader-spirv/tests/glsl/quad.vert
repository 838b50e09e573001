#version 450
// A triangle over everything; what the fragment shaders read.
layout(location = 0) out vec4 v0;
layout(location = 1) out vec4 v1;
layout(location = 2) flat out ivec4 v2;
layout(location = 3) out vec2 uv;
void main() {
    vec2 corner = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.5, 1.0);
    uv = corner;
    v0 = vec4(corner.x * 4.0 - 2.0, corner.y * 3.0 - 1.0, corner.x - corner.y, 0.75);
    v1 = vec4(0.25 + corner.y, 1.5 - corner.x, 2.0, -0.5 - corner.x * corner.y);
    v2 = ivec4(3, -7, 12, 1);
}
