#version 450
//! about A switch with falls through.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], r = 1u;
    switch (v & 7u) {
    case 0u: r = v + 1u; break;
    case 1u: r = v * 3u;
    case 2u: r ^= v >> 5; break;
    case 5u: r = 7u;
    case 6u: r += v & 0xffu;
    case 7u: r <<= 2; break;
    default: r = ~v;
    }
    result[id] = r;
}
