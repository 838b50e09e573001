#version 450
//! about A group of three dimensions that is no multiple of a wave.
//! groups 2 2 1
//! buffer 0 1680 random
//! buffer 1 1680 zero
layout(local_size_x = 5, local_size_y = 3, local_size_z = 7) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uvec3 size = uvec3(5, 3, 7) * uvec3(2, 2, 1), g = gl_GlobalInvocationID;
    uint at = (g.z * size.y + g.y) * size.x + g.x;
    result[at] = data[at] ^ gl_LocalInvocationIndex;
}
