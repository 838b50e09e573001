#version 450
// Adds a push constant to words.
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint add; } push;
void main() {
    words[gl_GlobalInvocationID.x] += push.add;
}
