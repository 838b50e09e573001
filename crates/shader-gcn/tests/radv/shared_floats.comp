#version 450
//! about A sum of floats by halves.
//! groups 2
//! buffer 0 512 float
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { float result[]; };
shared float parts[64];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    parts[l] = data[id];
    barrier();
    for (uint s = 32u; s > 0u; s >>= 1) {
        if (l < s) parts[l] += parts[l + s];
        barrier();
    }
    result[id] = parts[0];
}
