#version 450
//! about Push constants at a place known at run time.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
//! push 11 22 33 44 55 66 77 88
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(push_constant) uniform Push { uint values[8]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = 0u;
    for (uint i = 0u; i <= gl_WorkGroupID.x; i++) v += values[i + 1u];
    result[id] = data[id] ^ v;
}
