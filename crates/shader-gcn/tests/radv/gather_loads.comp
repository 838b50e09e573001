#version 450
//! about Loads from places that the data says, some beyond the end.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint at = data[id];
    result[id] = data[at & 127u] + data[(at >> 7) & 127u];
}
