#version 450
#extension GL_ARB_gpu_shader_int64 : require
// target: vulkan1.1
// Every operation on 64-bit integers and the conversions to and from them. tests/modules/programs.rs computes the same.
layout(location = 0) in uvec4 a;
layout(location = 1) in uvec2 b;
layout(location = 0) flat out uvec4 sums;
layout(location = 1) flat out uvec4 products;
layout(location = 2) flat out uvec4 shifts;
layout(location = 3) flat out uvec4 signs;
layout(location = 4) flat out uvec4 orders;
layout(location = 5) flat out uvec4 halves;
layout(location = 6) flat out uvec4 quotients;
layout(location = 7) flat out uvec4 rests;
layout(location = 8) flat out uvec4 signed_quotients;
layout(location = 9) flat out uvec4 floats;
layout(location = 10) flat out uvec4 back;
void main() {
    uint64_t x = packUint2x32(a.xy), y = packUint2x32(a.zw);
    int64_t s = int64_t(x), t = int64_t(y);
    uint by = b.x & 63u;
    sums = uvec4(unpackUint2x32(x + y), unpackUint2x32(x - y));
    products = uvec4(unpackUint2x32(x * y), unpackUint2x32(uint64_t(-s)));
    shifts = uvec4(unpackUint2x32(x << by), unpackUint2x32(x >> by));
    signs = uvec4(unpackUint2x32(uint64_t(s >> by)), unpackUint2x32(uint64_t(abs(t))));
    orders = uvec4(uint(x < y) | uint(s < t) << 1 | uint(x >= y) << 2 | uint(s <= t) << 3 | uint(x == y) << 4 | uint(x != y) << 5,
        unpackUint2x32(min(x, y)), uint(sign(s)));
    halves = uvec4(unpackUint2x32(uint64_t(max(s, t))), unpackUint2x32(uint64_t(int64_t(int(a.x)))));
    quotients = uvec4(unpackUint2x32(x / y), unpackUint2x32(x / uint64_t(b.y)));
    rests = uvec4(unpackUint2x32(x % y), unpackUint2x32(x % uint64_t(b.y)));
    signed_quotients = uvec4(unpackUint2x32(uint64_t(s / t)), unpackUint2x32(uint64_t(s / int64_t(int(b.y)))));
    floats = uvec4(unpackDouble2x32(double(x)), floatBitsToUint(float(x)), floatBitsToUint(float(s)));
    back = uvec4(unpackUint2x32(uint64_t(double(x >> 1))), unpackUint2x32(uint64_t(int64_t(double(s >> 8)))));
    gl_Position = vec4(0.0);
}
