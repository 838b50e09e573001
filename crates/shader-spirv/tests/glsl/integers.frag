#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    int n = int(uv.x * 16.0) - 4;
    uint u = uint(uv.y * 64.0) * 2654435761u;
    int d = n == 0 ? 3 : n;
    bits.x = uint(v2.y / d) ^ uint(v2.z % 5) ^ (u / uint(n + 9)) ^ (u % 1000u);
    bits.y = (u << (n & 7)) ^ (u >> 3) ^ uint(int(u) >> 5) ^ ~u;
    bits.z = uint(bitfieldExtract(int(u), 3, 7)) + bitfieldExtract(u, 5, 11) + bitfieldInsert(u, uint(n), 4, 9);
    bits.w = uint(findMSB(u)) + uint(findLSB(u)) * 100u + uint(findMSB(int(u))) * 10000u + bitfieldReverse(u) + uint(bitCount(u));
    uint carry, borrow, high, low;
    int ihigh, ilow;
    uint sum = uaddCarry(u, 0x80000000u, carry), rest = usubBorrow(u, 77777777u, borrow);
    umulExtended(u, 2246822519u, high, low);
    imulExtended(int(u), n, ihigh, ilow);
    bits ^= uvec4(sum + carry, rest - borrow, high ^ low, uint(ihigh ^ ilow));
    color = vec4(float(n), float(u >> 8), float(min(n, v2.y)), float(max(u & 255u, 17u)));
}
