#version 450
//! about An array of a lane's own, indexed by data.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], a[24];
    for (uint i = 0u; i < 24u; i++) a[i] = v * (i + 1u);
    for (uint i = 0u; i < 24u; i++) {
        uint to = (v >> (i & 15u)) % 24u;
        a[to] ^= a[i] + i;
    }
    uint r = 0u;
    for (uint i = 0u; i < 24u; i++) r = r * 31u + a[i];
    result[id] = r;
}
