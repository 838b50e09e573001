#version 450
//! about A loop that ends by its data.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = (data[id] & 0xffffu) | 1u, steps = 0u;
    while (v != 1u && steps < 200u) {
        v = (v & 1u) != 0u ? v * 3u + 1u : v >> 1;
        steps++;
    }
    result[id] = steps;
}
