#version 450
//! about Vectors in shared memory.
//! groups 2
//! compare float 1e-6
//! buffer 0 2048 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec4 data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };
shared vec4 rows[64];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    rows[l] = data[id];
    barrier();
    vec4 s = rows[(l + 1u) & 63u] + rows[(l + 7u) & 63u] * 2.0;
    result[id] = s;
}
