#version 450
//! about A loop whose test comes last.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id], n = 0u;
    do {
        v = v * 69069u + 1u;
        n++;
    } while ((v >> 27) != 5u && n < 60u);
    result[id] = v ^ n;
}
