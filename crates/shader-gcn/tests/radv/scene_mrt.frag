#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 shade;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
layout(location = 2) out vec2 motion;
layout(location = 3) out uvec4 material;

void main() {
    albedo = shade;
    normal = vec4(normalize(vec3(uv - 0.5, 1.0)), 1.0);
    motion = uv * 0.01;
    material = uvec4(gl_FragCoord.xy, 3u, 250u);
}
