#version 450
//! about Integers to floats, at their edges.
//! groups 2
//! buffer 0 512 edges
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    result[id] = vec4(float(v), float(int(v)), float(v & 0xffu) / 256.0, float(int(v) >> 16));
}
