#version 450
//! about Structures of mixed members.
//! groups 2
//! buffer 1 2048 zero
//! buffer 0 4096 below 17
layout(local_size_x = 64) in;
layout(binding = 1) buffer Out { vec4 result[]; };
struct Item { float a; uint n; vec2 c; uint flag; uint pad[3]; };
layout(binding = 0) readonly buffer In { Item items[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    Item item = items[id];
    result[id] = vec4(item.a * float(item.n), item.c.x, item.c.y, item.flag != 0u ? 1.0 : -1.0);
}
