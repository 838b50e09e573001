#version 450
//! about A shared exponent decoded.
//! groups 2
//! compare float 1e-6
//! buffer 0 512 random
//! buffer 1 2048 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { vec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    float scale = exp2(float(int(v >> 27) - 24));
    result[id] = vec4(float(v & 0x1ffu), float(v >> 9 & 0x1ffu), float(v >> 18 & 0x1ffu), 1.0) * vec4(vec3(scale), 1.0);
}
