#version 450
// target: vulkan1.1
// A step of a particle system: state in, state out, with integers, a hash, early returns and a switch that falls through.
layout(set = 0, binding = 0, std140) uniform Step { float time; float dt; uint frame; vec4 wind[3]; } step_;
layout(constant_id = 4) const int MODES = 3;
layout(location = 0) in vec4 position_age;
layout(location = 1) in vec4 velocity_life;
layout(location = 2) in uint state;
layout(xfb_buffer = 0, xfb_stride = 36) out Particle {
    layout(xfb_offset = 0) layout(location = 0) vec4 position_age;
    layout(xfb_offset = 16) layout(location = 1) vec4 velocity_life;
    layout(xfb_offset = 32) layout(location = 2) uint state;
} next;
uint random(inout uint seed) {
    seed = seed * 747796405u + 2891336453u;
    uint word = ((seed >> ((seed >> 28) + 4u)) ^ seed) * 277803737u;
    return (word >> 22) ^ word;
}
float unit(inout uint seed) { return float(random(seed) >> 8) * (1.0 / 16777216.0); }
bool search(uint seed, out int found) {
    for (int i = 0; i < 8; ++i) {
        if ((seed & (1u << i)) != 0u) {
            found = i;
            return true;
        }
        for (int j = 0; j < i; ++j) {
            if (bitCount(seed) == j) return false;
        }
    }
    found = -1;
    return false;
}
void main() {
    uint seed = state ^ (uint(gl_VertexIndex) * 2654435761u) ^ step_.frame;
    next.position_age = position_age + vec4(0.0, 0.0, 0.0, step_.dt);
    next.velocity_life = velocity_life;
    next.state = seed;
    gl_Position = vec4(position_age.xyz, 1.0);
    if (position_age.w > velocity_life.w) {
        next.position_age = vec4(unit(seed), unit(seed), unit(seed), 0.0);
        next.velocity_life = vec4(normalize(vec3(unit(seed), unit(seed), 1.0) - 0.5), 1.0 + unit(seed));
        next.state = seed;
        return;
    }
    vec3 force = vec3(0.0);
    switch (int(seed % uint(MODES))) {
        case 2: force += step_.wind[2].xyz;
        case 1: force += step_.wind[1].xyz * step_.time; break;
        case 0: force -= step_.wind[0].xyz;
        default: force *= 0.5;
    }
    int where;
    if (search(seed, where)) force[where % 3] += 0.25;
    next.velocity_life.xyz += force * step_.dt;
    next.position_age.xyz += next.velocity_life.xyz * step_.dt;
}
