#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
void main() {
    vec4 a = v0;
    int n = int(uv.x * 4.0) & 3;
    a[n] = 9.0;
    a.zx = a.yw;
    bvec4 less = lessThan(a, v1);
    bvec4 mask = bvec4(less.x || less.y, !less.z, less.w, a[(n + 1) & 3] > 0.0);
    color = mix(a, v1.wzyx, mask) + vec4(mask) + v1[n];
    ivec3 i = v2.zyx * ivec3(n, 2, -1) + ivec3(a.xyz);
    bits = uvec4(i, n) + uvec4(bvec4(equal(i, v2.xyz), false)) + uvec4(not(mask));
}
