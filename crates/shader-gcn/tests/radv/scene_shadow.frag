#version 450
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 target;
layout(binding = 1) uniform sampler2DShadow depths;

void main() {
    float sum = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += textureLod(depths, vec3(place.xy + vec2(x, y) / 16.0, place.z), 0.0);
    target = vec4(vec3(sum / 9.0), 1.0);
}
