#version 450
//! about Lanes leave the shader from inside of two loops.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 fill 0xcdcdcdcd
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    for (uint i = 0u; i < 10u; i++) {
        for (uint j = 0u; j < 10u; j++) {
            v = v * 1103515245u + 12345u;
            if ((v >> 26) == i) {
                result[id] = v;
                return;
            }
        }
    }
    result[id] = 1u;
}
