#version 450
//! about A constant table that is indexed by data.
//! groups 2
//! no_llvm
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
const uint primes[32] = uint[](2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131);

void main() {
    uint id = gl_GlobalInvocationID.x;
    result[id] = primes[data[id] & 31u] + primes[(data[id] >> 5) & 31u] * 1000u;
}
