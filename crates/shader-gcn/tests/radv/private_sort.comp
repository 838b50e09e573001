#version 450
//! about Bubble sort in scratch memory.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], a[16];
    for (int i = 0; i < 16; i++) {
        v = v * 1664525u + 1013904223u;
        a[i] = v >> 4;
    }
    for (int i = 0; i < 15; i++)
        for (int j = 0; j < 15 - i; j++)
            if (a[j] > a[j + 1]) {
                uint t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    result[id] = a[v & 15u] ^ a[7];
}
