#version 450
//! about A branch that all lanes take alike, by a uniform.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
//! uniform 2 16 fill 107
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
layout(binding = 2) uniform Values { uint mode; uint limit; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = data[id];
    if (mode == 2u) {
        v *= 3u;
    } else {
        v += 9u;
    }
    if (limit > 100u) {
        for (uint i = 0u; i < limit - 100u; i++) v = v * 3u + i;
    }
    result[id] = v;
}
