#version 450
// target: vulkan1.1
// A character's vertex: four bones of a palette in a uniform block, normals with it, captured for later passes.
struct Bone { vec4 rows[3]; };
layout(set = 0, binding = 0, std140) uniform Palette { Bone bones[32]; } palette;
layout(set = 0, binding = 1, std140) uniform Camera { mat4 view_projection; vec3 eye; float fog; } camera;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;
layout(location = 0, xfb_buffer = 0, xfb_stride = 28, xfb_offset = 0) out vec3 world;
layout(location = 1, xfb_buffer = 0, xfb_offset = 12) out vec3 world_normal;
layout(location = 2, xfb_buffer = 0, xfb_offset = 24) out float fog;
vec3 transform(Bone bone, vec4 p) { return vec3(dot(bone.rows[0], p), dot(bone.rows[1], p), dot(bone.rows[2], p)); }
void main() {
    vec3 p = vec3(0.0), n = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        if (weights[i] == 0.0) continue;
        Bone bone = palette.bones[joints[i] & 31u];
        p += weights[i] * transform(bone, vec4(position, 1.0));
        n += weights[i] * transform(bone, vec4(normal, 0.0));
    }
    world = p;
    world_normal = normalize(n);
    fog = clamp(distance(p, camera.eye) * camera.fog, 0.0, 1.0);
    gl_Position = camera.view_projection * vec4(p, 1.0);
}
