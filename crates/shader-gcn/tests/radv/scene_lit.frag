#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 target;
layout(binding = 1) uniform sampler2D image;
layout(binding = 2) uniform Light { vec4 direction; vec4 colour; vec4 ambient; };

void main() {
    float lambert = max(dot(normalize(normal), direction.xyz), 0.0);
    target = vec4(texture(image, uv).rgb * (ambient.rgb + colour.rgb * lambert), 1.0);
}
