#version 450
//! about A group smaller than a wave.
//! groups 5
//! buffer 0 480 random
//! buffer 1 480 zero
layout(local_size_x = 24) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    result[id] = data[id] * 3u + gl_WorkGroupID.x;
}
