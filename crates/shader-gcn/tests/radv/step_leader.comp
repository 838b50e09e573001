#version 450
//! about One lane goes over a buffer, then all read what it left; a wave of the guest needs no barrier there.
//! groups 3
//! buffer 0 768 below 48
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };

void main() {
    uint first = gl_WorkGroupID.x * 64u;
    if (gl_LocalInvocationIndex == 0u) {
        for (uint i = 2u; i < 64u; ++i)
            data[first + i] = data[first + i - 1u] + data[first + i - 2u];
    }
    memoryBarrierBuffer();
    barrier();
    uint v = data[first + 63u - gl_LocalInvocationIndex];
    barrier();
    data[first + gl_LocalInvocationIndex] = v;
}
