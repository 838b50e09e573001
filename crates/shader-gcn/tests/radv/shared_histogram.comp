#version 450
//! about A histogram by atomic sums in shared memory.
//! groups 4
//! buffer 0 1024 random
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint bins[16];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    if (l < 16u) bins[l] = 0u;
    barrier();
    atomicAdd(bins[data[id] >> 28], 1u + (data[id] & 3u));
    barrier();
    if (l < 16u) atomicAdd(result[l], bins[l]);
}
