#version 450
//! about Scene: a mesh with a matrix, lit from one side.
//! target rgba8
//! uniform 0 128 float
//! uniform 2 48 unit
//! texture 1 1 2d rgba8 16x16 1 linear repeat random
//! depth
//! vertices 0 32 vertex 6 float
//! attribute 0 rgb32f 0 0
//! attribute 1 rgb32f 0 12
//! attribute 2 rg32f 0 24
//! draw 6 1 0 0
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec2 place;
layout(location = 0) out vec3 normal;
layout(location = 1) out vec2 uv;
layout(binding = 0) uniform Matrices { mat4 to_clip; mat4 to_world; };

void main() {
    gl_Position = to_clip * vec4(position, 1.0);
    normal = mat3(to_world) * direction;
    uv = place;
}
