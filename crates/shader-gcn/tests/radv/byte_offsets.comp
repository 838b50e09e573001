#version 450
//! about Places that are computed in pieces: constant offsets and lanes' own.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint base = (id >> 2) * 4u;
    result[base + 3u - (id & 3u)] = data[base + ((id + 1u) & 3u)] * 2u;
}
