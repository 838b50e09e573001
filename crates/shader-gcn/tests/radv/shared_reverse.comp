#version 450
//! about Shared memory and a barrier: a group's words in reverse.
//! groups 3
//! buffer 0 1536 random
//! buffer 1 1536 zero
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint words[128];

void main() {
    uint id = gl_LocalInvocationID.x;
    words[id] = data[gl_GlobalInvocationID.x];
    barrier();
    result[gl_GlobalInvocationID.x] = words[127u - id];
}
