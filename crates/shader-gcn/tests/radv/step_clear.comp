#version 450
//! about Clears counters in a buffer, counts, and reads them: the lanes of a wave each at another place.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 fill 0xffffffff
//! buffer 2 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Data { uint data[]; };
layout(binding = 1) buffer Counts { uint counts[]; };
layout(binding = 2) buffer Sums { uint sums[]; };

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint first = gl_WorkGroupID.x * 64u;
    counts[first + lane] = 0u;
    memoryBarrierBuffer();
    barrier();
    atomicAdd(counts[first + data[first + lane] % 64u], lane + 1u);
    memoryBarrierBuffer();
    barrier();
    uint sum = 0u;
    for (uint k = 0u; k < 5u; ++k)
        sum = sum * 7u + counts[first + (lane * 5u + k) % 64u];
    sums[first + lane] = sum;
}
