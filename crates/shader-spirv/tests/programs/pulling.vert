#version 450
// target: vulkan1.1
// A renderer that binds everything once: vertices, instances and materials in storage buffers, of several layouts.
struct Instance { mat3x4 place; uint material; float scale; };
layout(set = 0, binding = 0, std430) readonly buffer Vertices { float data[]; } vertices;
layout(set = 0, binding = 1, std430) readonly buffer Instances { uint count; Instance all[]; } instances;
layout(set = 0, binding = 2, std140) readonly buffer Materials { vec4 colours[16]; } materials[2];
layout(set = 1, binding = 0, std140) uniform View { mat4 view_projection; } views[3];
layout(push_constant) uniform Push { uint first; uint stride; } push;
layout(location = 0, xfb_buffer = 0, xfb_stride = 40, xfb_offset = 0) out vec4 colour;
layout(location = 1, xfb_buffer = 0, xfb_offset = 16) out vec2 uv;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 24) vec4 gl_Position; };
void main() {
    uint at = (push.first + uint(gl_VertexIndex)) * push.stride;
    vec4 position = vec4(vertices.data[at], vertices.data[at + 1u], vertices.data[at + 2u], 1.0);
    uv = vec2(vertices.data[at + 3u], vertices.data[at + 4u]);
    Instance instance = instances.all[min(uint(gl_InstanceIndex), instances.count - 1u)];
    vec3 world = (position * instance.place) * instance.scale;
    colour = materials[0].colours[instance.material & 15u] + materials[1].colours[3];
    gl_Position = views[2].view_projection * vec4(world, 1.0) + views[0].view_projection[1];
}
