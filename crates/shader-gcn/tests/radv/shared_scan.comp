#version 450
//! about Sums of all words before, in a group.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 1024 zero
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint parts[128];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    parts[l] = data[id] >> 8;
    barrier();
    for (uint s = 1u; s < 128u; s <<= 1) {
        uint v = l >= s ? parts[l - s] : 0u;
        barrier();
        parts[l] += v;
        barrier();
    }
    result[id] = parts[l];
}
