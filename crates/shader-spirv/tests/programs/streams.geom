#version 450
// target: vulkan1.1
// Particles sorted into those that live on and those that are drawn: two streams of points.
layout(points) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in vec4 position_age[];
layout(location = 1) in vec4 velocity_life[];
layout(stream = 0) out;
layout(location = 0, xfb_buffer = 0, xfb_stride = 32, xfb_offset = 0) out vec4 next_position;
layout(location = 1, xfb_buffer = 0, xfb_offset = 16) out vec4 next_velocity;
layout(stream = 1) out;
layout(location = 2, xfb_buffer = 1, xfb_stride = 20, xfb_offset = 0) out vec4 drawn;
layout(location = 3, xfb_buffer = 1, xfb_offset = 16) out uint flags;
void main() {
    vec4 p = position_age[0], v = velocity_life[0];
    if (p.w < v.w) {
        next_position = p + vec4(v.xyz, 1.0) * 0.1;
        next_velocity = v;
        EmitStreamVertex(0);
        EndStreamPrimitive(0);
    }
    for (int i = 0; i < 2; ++i) {
        if (fract(p[i] * 3.0) > 0.5) continue;
        drawn = vec4(p.xyz, float(i));
        flags = uint(gl_PrimitiveIDIn) << 1 | uint(i);
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
