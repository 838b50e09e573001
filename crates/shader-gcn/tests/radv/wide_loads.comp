#version 450
//! about Loads and stores of two and four words.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec4 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uvec4 v = data[id];
    result[id] = v.wzyx + uvec4(1, 2, 3, 4);
}
