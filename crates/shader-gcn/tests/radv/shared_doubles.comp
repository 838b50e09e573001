#version 450
//! about Doubles in shared memory.
//! groups 2
//! buffer 0 1024 double
//! buffer 1 1024 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { double data[]; };
layout(binding = 1) buffer Out { double result[]; };
shared double parts[64];

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    parts[l] = data[id];
    barrier();
    result[id] = parts[63u - l] + parts[l];
}
