#version 450
//! about Sines and cosines.
//! groups 2
//! compare float 2e-4
//! buffer 0 512 float
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    float v = data[id];
    result[id] = vec4(sin(v), cos(v), sin(v * 3.0) * cos(v), tan(v * 0.1));
}
