#version 450
// target: vulkan1.1
// Silhouette edges of a mesh with adjacency, drawn out away from the light.
layout(triangles_adjacency) in;
layout(triangle_strip, max_vertices = 18) out;
layout(set = 0, binding = 0, std140) uniform Light { mat4 view_projection; vec3 position; } light;
layout(location = 0, xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0) out vec4 where;
bool faces(vec3 a, vec3 b, vec3 c) { return dot(cross(b - a, c - a), light.position - a) > 0.0; }
void emit(vec4 p) {
    where = p;
    gl_Position = light.view_projection * p;
    EmitVertex();
}
void edge(vec3 a, vec3 b) {
    emit(vec4(a, 1.0));
    emit(vec4(a - light.position, 0.0));
    emit(vec4(b, 1.0));
    emit(vec4(b - light.position, 0.0));
    EndPrimitive();
}
void main() {
    vec3 p[6];
    for (int i = 0; i < 6; ++i) p[i] = gl_in[i].gl_Position.xyz / gl_in[i].gl_Position.w;
    if (!faces(p[0], p[2], p[4])) return;
    for (int i = 0; i < 6; i += 2) {
        int next = (i + 2) % 6;
        if (!faces(p[i], p[i + 1], p[next])) edge(p[i], p[next]);
    }
    emit(vec4(p[0], 1.0));
    emit(vec4(p[2], 1.0));
    emit(vec4(p[4], 1.0));
    EndPrimitive();
}
