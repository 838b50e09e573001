#version 450
layout(location = 0) flat in uvec2 numbers;
layout(location = 1) noperspective in vec2 screen;
layout(location = 2) centroid in vec2 middle;
layout(location = 3) in vec3 smoothed;
layout(location = 4) sample in float each;
layout(location = 0) out vec4 target;

void main() {
    target = vec4(screen + middle, smoothed.x * float(numbers.x), smoothed.z + each + float(numbers.y));
}
