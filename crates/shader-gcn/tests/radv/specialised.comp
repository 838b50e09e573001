#version 450
//! about Specialisation constants: a size, a choice, a factor.
//! groups 2
//! buffer 0 512 random
//! buffer 1 1024 zero
//! constant 0 5
//! constant 1 1
//! constant 7 0.25
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uvec2 result[]; };
layout(constant_id = 0) const int COUNT = 1;
layout(constant_id = 1) const bool INVERT = false;
layout(constant_id = 7) const float FACTOR = 1.0;

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    for (int i = 0; i < COUNT; i++) v = INVERT ? ~(v * 3u) : v + 1u;
    result[id] = uvec2(v, floatBitsToUint(float(v & 0xffu) * FACTOR));
}
