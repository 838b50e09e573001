#version 450
//! about Floats to integers and back.
//! groups 2
//! buffer 0 512 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id] * 1000.0;
    result[id] = uvec4(uint(int(v)), uint(abs(v)), floatBitsToUint(float(int(v)) * 0.5), floatBitsToUint(float(uint(abs(v)))));
}
