#version 450
layout(location = 0) in vec4 v0;
layout(location = 1) in vec4 v1;
layout(location = 2) flat in ivec4 v2;
layout(location = 3) in vec2 uv;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 bits;
layout(set = 0, binding = 1) uniform sampler2D flat2;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(set = 0, binding = 3) uniform sampler3D solid;
layout(set = 0, binding = 4) uniform sampler2DShadow shade;
void main() {
    color = texture(flat2, uv) + texture(cube, v0.xyz) * 0.5 + texture(solid, vec3(uv, 0.3)) * 0.25;
    color += texture(flat2, uv * 3.0, 1.0) + textureLod(flat2, uv.yx, 1.0) + textureGrad(flat2, uv, vec2(0.01, 0), vec2(0, 0.3));
    color += textureProj(flat2, vec3(uv, 2.0)) + textureProj(flat2, vec4(uv, 9.0, 3.0)) + textureLod(cube, v1.xyz, 0.0) + textureProjLod(solid, vec4(uv, 0.2, 1.5), 0.0);
    color.x += texture(shade, vec3(uv, 0.4)) + textureProj(shade, vec4(uv, 0.9, 1.7)) + textureLod(shade, vec3(uv, 0.8), 0.0);
    color += textureGather(flat2, uv + 0.03);
    bits = uvec4(0);
}
