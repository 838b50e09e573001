#version 450
//! about The least: one word for each lane.
//! groups 4
//! buffer 0 1024 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    result[gl_GlobalInvocationID.x] = data[gl_GlobalInvocationID.x] ^ 0x5aa5u;
}
