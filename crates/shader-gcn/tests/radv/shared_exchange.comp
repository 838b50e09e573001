#version 450
//! about Words exchanged and compared; the sum of what comes out is the same in any order.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint slot, taken[64];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    if (l == 0u) slot = 0u;
    if (l < 64u) taken[l] = 0u;
    barrier();
    uint old = atomicExchange(slot, l + 1u);
    atomicAdd(result[0], old);
    uint got = atomicCompSwap(taken[data[id] & 63u], 0u, 1u);
    atomicAdd(result[1], got == 0u ? 1u : 0u);
    barrier();
    if (l == 0u) atomicAdd(result[0], slot);
}
