#version 450
//! about Vertices pulled out of a storage buffer, bones out of a texture.
//! target rgba8
//! buffer 0 384 float
//! texture 1 1 2d rgba32f 16x4 1 nearest edge float
//! draw 12 1 0 0
layout(binding = 0) readonly buffer Vertices { vec4 vertices[]; };
layout(binding = 1) uniform sampler2D bones;
layout(location = 0) out vec4 shade;

void main() {
    vec4 v = vertices[gl_VertexIndex * 2], w = vertices[gl_VertexIndex * 2 + 1];
    int bone = int(abs(w.x)) & 15;
    mat4 m = mat4(texelFetch(bones, ivec2(bone, 0), 0), texelFetch(bones, ivec2(bone, 1), 0), texelFetch(bones, ivec2(bone, 2), 0), texelFetch(bones, ivec2(bone, 3), 0));
    gl_Position = m * v;
    shade = w + textureLod(bones, w.yz, 0.0);
}
