#version 450
layout(early_fragment_tests) in;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 target;
layout(binding = 0) buffer Counts { uint counts[]; };

void main() {
    atomicAdd(counts[0], 1u);
    target = shade;
}
