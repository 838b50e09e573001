#version 450
//! about Exchanges on a buffer: all put the same in, so memory and the sum of what comes out are the same in any order.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint old = atomicExchange(result[0], 9u);
    atomicAdd(result[1], old);
    uint was = atomicCompSwap(result[2u + (data[id] & 31u)], 0u, 5u);
    atomicAdd(result[40], was);
}
