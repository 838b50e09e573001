#version 450
// target: vulkan1.1
// Six faces of a cube by invocations, a layer each, with arrays, structs, clip distances and a viewport.
layout(triangles, invocations = 6) in;
layout(triangle_strip, max_vertices = 3) out;
layout(set = 0, binding = 0, std140) uniform Faces { mat4 faces[6]; } data;
struct Surface { vec3 normal; vec2 uv[2]; };
layout(location = 0) in Block { vec4 colour; Surface surface; } vertices[];
layout(location = 5) in float weights[][3];
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };
layout(location = 0) out vec4 colour;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec2 uv[2];
void main() {
    float total = 0.0;
    for (int i = 0; i < gl_in.length(); ++i) for (int j = 0; j < 3; ++j) total += weights[i][j];
    for (int i = 0; i < 3; ++i) {
        gl_Layer = gl_InvocationID;
        gl_ViewportIndex = gl_InvocationID % 2;
        Surface surface = vertices[i].surface;
        colour = vertices[i].colour * total;
        normal = surface.normal;
        uv = surface.uv;
        gl_Position = data.faces[gl_InvocationID] * gl_in[i].gl_Position;
        gl_ClipDistance[0] = min(gl_in[i].gl_ClipDistance[0], gl_in[i].gl_ClipDistance[1]) + gl_in[i].gl_PointSize;
        EmitVertex();
    }
    EndPrimitive();
}
