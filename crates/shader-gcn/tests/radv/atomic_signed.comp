#version 450
//! about Least and largest of signed words in a buffer.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { int result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    int v = int(data[id]);
    atomicMin(result[v & 3], v);
    atomicMax(result[4 + (v & 3)], v);
}
