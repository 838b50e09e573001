#version 450
//! about Counts what is large, in shared memory (ACO: by `ds_append`), and writes the arguments of a dispatch and of a draw.
//! groups 4
//! buffer 0 1024 below 100
//! buffer 1 32 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Data { uint data[]; };
layout(binding = 1) buffer Arguments { uint count; uint instances; uint first; uint base; uint x; uint y; uint z; uint most; };
shared uint large;
shared uint all;

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        large = 0u;
        all = 5u;
    }
    barrier();
    if (data[gl_GlobalInvocationID.x] > 50u) {
        atomicAdd(large, 1u);
        atomicAdd(all, 3u);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        atomicAdd(count, large * 3u);
        atomicAdd(x, (all + 63u) / 64u);
        atomicMax(most, large);
        if (gl_WorkGroupID.x == 0u) {
            instances = 1u;
            first = 7u;
            y = 1u;
            z = 1u;
        }
    }
}
