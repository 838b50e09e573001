#version 450
//! about Rounding of all kinds.
//! groups 2
//! buffer 0 512 float
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id];
    result[id * 2u] = vec4(floor(v), ceil(v), trunc(v), roundEven(v));
    result[id * 2u + 1u] = vec4(fract(v), sign(v), mod(v, 3.0), abs(v));
}
