#version 450
//! about Values chosen without branches.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    float f = float(v >> 8);
    float a = f > 1000000.0 ? f : -f, b = v > 77u ? 2.0 : 0.5;
    result[id] = floatBitsToUint((v & 3u) == 0u ? a * b : a - b);
}
