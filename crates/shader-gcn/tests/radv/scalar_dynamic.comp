#version 450
//! about Loads that are the same for all lanes, at a place known at run time.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
//! uniform 2 272 below 9
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(binding = 2) uniform Table { uvec4 words[16]; uint count; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    for (uint i = gl_WorkGroupID.x; i < gl_WorkGroupID.x + count; i++) v = v * 3u + words[i].x + words[i].w;
    result[id] = v;
}
