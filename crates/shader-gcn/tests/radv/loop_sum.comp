#version 450
//! about A loop whose length differs from lane to lane.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 512 fill 0xcdcdcdcd
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint n = data[id] & 31u, sum = 0u;
    for (uint i = 0u; i < n; i++) {
        sum = sum * 3u + data[(id + i) & 255u];
    }
    result[id] = sum;
}
