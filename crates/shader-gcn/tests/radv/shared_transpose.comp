#version 450
//! about A square turned over in shared memory.
//! groups 2
//! buffer 0 2048 random
//! buffer 1 2048 zero
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint tile[16 * 17];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, base = gl_WorkGroupID.x * 256u;
    tile[y * 17u + x] = data[base + y * 16u + x];
    barrier();
    result[base + y * 16u + x] = tile[x * 17u + y];
}
