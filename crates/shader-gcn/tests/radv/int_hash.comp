#version 450
//! about A hash of many steps.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint h = data[id] + 0x9e3779b9u;
    h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    uint r = h;
    for (uint i = 0u; i < 4u; i++) r = (r << 5 | r >> 27) * 5u + 0xe6546b64u;
    result[id] = r;
}
