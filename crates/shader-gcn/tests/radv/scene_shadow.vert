#version 450
//! about Scene: a mesh that a depth texture casts shadows on.
//! target rgba8
//! uniform 0 64 unit
//! texture 1 1 2d d32 16x16 1 linear edge compare unit
//! depth
//! vertices 0 12 vertex 6 float
//! attribute 0 rgb32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 place;
layout(binding = 0) uniform Matrices { mat4 to_light; };

void main() {
    vec4 p = vec4(position, 1.0);
    gl_Position = p;
    place = (to_light * p).xyz;
}
