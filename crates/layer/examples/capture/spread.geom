#version 450
// Of each point as many of the first stream as its number's last bits say, and one of the second where it is odd.
layout(points) in;
layout(points, max_vertices = 4) out;
layout(location = 0) flat in uvec4 given[];
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) flat out uvec4 number;
layout(stream = 1, location = 1, xfb_buffer = 1, xfb_stride = 20, xfb_offset = 4) flat out uvec4 odd;
void main() {
    for (uint n = 0u; n < (given[0].x & 3u); n++) {
        number = uvec4(given[0].xyz, n);
        gl_Position = gl_in[0].gl_Position + vec4(0.125 * float(n), 0.0, 0.0, 0.0);
        EmitStreamVertex(0);
        EndStreamPrimitive(0);
    }
    if ((given[0].x & 1u) == 1u) {
        odd = given[0].wzyx;
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
