#version 450
// target: vulkan1.1
// A quad that faces the viewer for every point, with two of its vertex's values.
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(set = 0, binding = 1, std140) uniform Camera { mat4 view_projection; vec4 right; vec4 up; } camera;
layout(location = 0) in vec3 world[];
layout(location = 2) in float size[];
layout(location = 0, xfb_buffer = 0, xfb_stride = 24, xfb_offset = 0) out vec2 uv;
layout(location = 1) flat out int sprite;
layout(xfb_buffer = 0) out gl_PerVertex { layout(xfb_offset = 8) vec4 gl_Position; };
void main() {
    for (int i = 0; i < 4; ++i) {
        vec2 corner = vec2(i & 1, i >> 1) * 2.0 - 1.0;
        vec3 p = world[0] + (camera.right.xyz * corner.x + camera.up.xyz * corner.y) * size[0];
        uv = corner * 0.5 + 0.5;
        sprite = gl_PrimitiveIDIn;
        gl_PrimitiveID = gl_PrimitiveIDIn;
        gl_Position = camera.view_projection * vec4(p, gl_in[0].gl_Position.w);
        EmitVertex();
    }
    EndPrimitive();
}
