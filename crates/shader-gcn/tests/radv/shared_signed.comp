#version 450
//! about Atomic least and largest of signed words.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared int words[2];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    int v = int(data[id]);
    if (l < 2u) words[l] = 0;
    barrier();
    atomicMin(words[0], v);
    atomicMax(words[1], v);
    barrier();
    if (l < 2u) result[gl_WorkGroupID.x * 2u + l] = uint(words[l]);
}
