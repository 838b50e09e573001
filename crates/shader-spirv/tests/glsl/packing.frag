#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec4 a = v0 * 0.6;
    bits = uvec4(packSnorm4x8(a), packUnorm4x8(v1), packSnorm2x16(a.xy), packUnorm2x16(v1.yx));
    uint h = packHalf2x16(v0.xy * 3.0);
    color = unpackSnorm4x8(bits.x) + unpackUnorm4x8(bits.y) + vec4(unpackSnorm2x16(bits.z), unpackUnorm2x16(bits.w)) + vec4(unpackHalf2x16(h), unpackHalf2x16(0x00013c00u));
    bits ^= uvec4(floatBitsToUint(round(v0.x)), uint(floatBitsToInt(2.5)), 0, h);
    color.x += intBitsToFloat(v2.x + 0x3f800000) + uintBitsToFloat(0x40490fdbu);
}
