#version 450
//! about Loads beyond the end give zero, and stores there do nothing.
//! groups 1
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint far = id * 37u;
    result[id] = far < uint(data.length()) ? data[far] : 7u;
    if (id == 3u) result[uint(result.length()) - 1u] = uint(data.length());
}
