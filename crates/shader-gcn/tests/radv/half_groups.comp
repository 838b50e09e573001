#version 450
//! about Lanes beyond an end do nothing.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 fill 0xcdcdcdcd
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (id >= 100u) {
        return;
    }
    result[id] = data[id] + 1u;
}
