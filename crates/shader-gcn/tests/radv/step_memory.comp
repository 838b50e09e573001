#version 450
//! about Lanes read what their neighbours have written, as often as memory says, and the other way round.
//! groups 2
//! buffer 0 520 below 100
//! buffer 1 8 fill 5
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) coherent buffer Data { uint data[]; };
layout(binding = 1) buffer Rounds { uint rounds[]; };

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint first = gl_WorkGroupID.x * 64u;
    for (uint k = 0u; k < rounds[gl_WorkGroupID.x]; ++k) {
        uint v = data[first + (lane + 1u) % 64u];
        uint w = data[first + (lane + 63u) % 64u];
        memoryBarrierBuffer();
        barrier();
        data[first + lane] = v * 3u + w + k;
        memoryBarrierBuffer();
        barrier();
    }
    if (lane == 0u)
        rounds[gl_WorkGroupID.x] = data[first + 63u];
}
