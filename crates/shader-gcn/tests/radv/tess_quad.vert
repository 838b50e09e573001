#version 450
//! about A patch of four corners, tessellated by how far away it is.
//! vertices 0 16 vertex 16 float
//! attribute 0 rgba32f 0 0
//! draw 16 1 0 0
//! patch 4
//! target rgba8
layout(location = 0) in vec4 corner;
layout(location = 0) out vec3 place;

void main() {
    place = corner.xyz;
    gl_Position = corner;
}
