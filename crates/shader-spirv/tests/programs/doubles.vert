#version 450
#extension GL_ARB_gpu_shader_int64 : require
// target: vulkan1.1
// Places far from the origin: double attributes, matrices and counters of 64 bits, captured as they are.
layout(set = 0, binding = 0, std140) uniform World { dmat4 place; dvec3 origin; double scale; uint64_t key; } world;
layout(location = 0) in dvec3 position;
layout(location = 2) in dvec2 size;
layout(location = 3) in int64_t id;
layout(location = 0, xfb_buffer = 0, xfb_stride = 64, xfb_offset = 0) flat out dvec3 far;
layout(location = 2, xfb_buffer = 0, xfb_offset = 24) flat out double area;
layout(location = 2, component = 2, xfb_buffer = 0, xfb_offset = 32) flat out uint64_t mixed;
layout(location = 3, xfb_buffer = 0, xfb_offset = 40) flat out dvec2 steps[1];
struct Mixed { float f; double d; };
layout(location = 4, xfb_buffer = 1, xfb_stride = 16, xfb_offset = 0) flat out Mixed both;
layout(location = 6) out vec3 near;
void main() {
    dvec4 p = world.place * dvec4(position * world.scale, 1.0lf);
    far = p.xyz + world.origin;
    area = abs(size.x * size.y) + sqrt(dot(far, far));
    uint64_t h = uint64_t(id) * 0x9e3779b97f4a7c15ul + world.key;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ul;
    mixed = h ^ (h << 31);
    steps[0] = dvec2(floor(size.x), id > 5l ? fract(size.y) : double(id));
    both.f = float(area);
    both.d = mix(size.x, size.y, 0.25lf);
    near = vec3(far - world.origin);
    gl_Position = vec4(near, 1.0);
}
