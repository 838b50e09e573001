#version 450
// The smallest shader that captures: a place in the plane, turned by a quarter.
layout(location = 0) in vec2 place;
layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out gl_PerVertex {
    vec4 gl_Position;
};
void main() {
    gl_Position = vec4(-place.y, place.x, float(gl_VertexIndex), 1.0);
}
