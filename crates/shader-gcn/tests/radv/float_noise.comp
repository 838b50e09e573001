#version 450
//! about A gradient noise of several octaves.
//! groups 2
//! compare float 1e-4
//! buffer 0 1024 float
//! buffer 1 512 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { float result[]; };
float hash(vec2 p) {
    uint h = uint(int(p.x)) * 374761393u + uint(int(p.y)) * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return float(h >> 8) / 16777216.0;
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    vec2 v = data[id];
    float sum = 0.0, scale = 0.5;
    for (int i = 0; i < 5; i++) {
        vec2 cell = floor(v), f = fract(v);
        f = f * f * (3.0 - 2.0 * f);
        sum += scale * mix(mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x), mix(hash(cell + vec2(0.0, 1.0)), hash(cell + 1.0), f.x), f.y);
        v *= 2.0;
        scale *= 0.5;
    }
    result[id] = sum;
}
