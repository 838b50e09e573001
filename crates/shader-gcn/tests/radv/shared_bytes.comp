#version 450
//! about Shared words that lanes build from two loads at once.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint words[128];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    words[l * 2u] = data[id];
    words[l * 2u + 1u] = ~data[id];
    barrier();
    result[id] = words[(l * 5u) & 127u] * 3u + words[(l * 5u + 64u) & 127u];
}
