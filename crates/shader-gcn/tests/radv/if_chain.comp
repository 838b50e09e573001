#version 450
//! about A chain of tests.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], r = 0u;
    if (v < 0x20000000u) r = v;
    else if (v < 0x40000000u) r = v * 2u;
    else if (v < 0x80000000u) r = ~v;
    else if (v < 0xc0000000u) r = v >> 4;
    else r = v << 4;
    result[id] = r;
}
