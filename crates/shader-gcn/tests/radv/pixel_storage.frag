#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) buffer Counts { uint counts[]; };
layout(binding = 1, r32ui) uniform uimage2D image;

void main() {
    uint n = atomicAdd(counts[uint(gl_FragCoord.y) & 15u], 1u);
    imageAtomicMax(image, ivec2(gl_FragCoord.xy) & 15, n);
    target = shade;
}
