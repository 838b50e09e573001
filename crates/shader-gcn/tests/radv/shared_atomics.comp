#version 450
//! about Atomic operations on shared memory whose order makes no difference.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint words[8];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x, v = data[id];
    if (l < 8u) words[l] = l == 0u || l == 3u ? 0xffffffffu : 0u;
    barrier();
    atomicMin(words[0], v);
    atomicMax(words[1], v);
    atomicAdd(words[2], v);
    atomicAnd(words[3], v | 0xff00u);
    atomicOr(words[4], v & 0xff00ffu);
    atomicXor(words[5], v);
    atomicMin(words[6], 0u);
    barrier();
    if (l < 8u) result[gl_WorkGroupID.x * 8u + l] = words[l];
}
