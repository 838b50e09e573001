#version 450
// As many points of the first stream as the number's last bits say, and one of the second for each odd number.
layout(points) in;
layout(points, max_vertices = 4) out;
layout(location = 0) flat in uvec4 number[];
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 12, xfb_offset = 4) flat out uvec2 part;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 8, xfb_offset = 0) flat out uvec2 odd;
void main() {
    for (uint n = 0u; n < (number[0].x & 3u); n++) {
        part = uvec2(number[0].x, n);
        gl_Position = vec4(0.0);
        EmitStreamVertex(0);
        EndStreamPrimitive(0);
    }
    if ((number[0].x & 1u) == 1u) {
        odd = number[0].yz;
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
