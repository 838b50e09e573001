#version 450
//! about A sum over a group, by halves.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 2048 zero
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint parts[256];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    parts[l] = data[id];
    barrier();
    for (uint s = 128u; s > 0u; s >>= 1) {
        if (l < s) parts[l] += parts[l + s];
        barrier();
    }
    if (l == 0u) result[gl_WorkGroupID.x] = parts[0];
}
