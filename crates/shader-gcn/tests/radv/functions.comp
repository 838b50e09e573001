#version 450
//! about Functions with values out and in.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
uint twist(uint x, inout uint y) {
    if (x > 0x7fffffffu) return y += 3u;
    y ^= x;
    return x * 31u;
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id], b = 0u;
    uint r = twist(a, b);
    result[id] = r + b + twist(b, a) + a;
}
