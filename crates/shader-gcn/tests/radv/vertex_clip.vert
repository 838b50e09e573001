#version 450
//! about Clip and cull distances, and a point's size.
//! target rgba8
//! topology points
//! vertices 0 16 vertex 6 float
//! attribute 0 rgba32f 0 0
//! draw 6 1 0 0
layout(location = 0) in vec4 position;
layout(location = 0) out vec4 shade;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; float gl_CullDistance[2]; };

void main() {
    gl_Position = position;
    gl_PointSize = 4.0 + position.x;
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = 1.0 - position.y;
    gl_ClipDistance[2] = position.z + 0.5;
    gl_CullDistance[0] = position.w;
    gl_CullDistance[1] = position.x + 2.0;
    shade = position;
}
