#version 450
//! about An array in a uniform buffer, indexed by lanes and by constants.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
//! uniform 2 256 random
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(binding = 2) uniform Table { uvec4 table[16]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    result[id] = table[v & 15u].x + table[3].y + table[gl_WorkGroupID.x + 5u].z;
}
