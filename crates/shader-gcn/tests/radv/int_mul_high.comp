#version 450
//! about High halves of products, carries and borrows.
//! groups 2
//! buffer 0 1024 edges
//! buffer 1 4096 zero
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 data[]; };
layout(binding = 1) buffer Out { uvec4 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint a = data[id].x, b = data[id].y, high, low, carry, borrow;
    int shigh, slow;
    umulExtended(a, b, high, low);
    imulExtended(int(a), int(b), shigh, slow);
    uint s = uaddCarry(a, b, carry), d = usubBorrow(a, b, borrow);
    result[id * 2u] = uvec4(high, low, uint(shigh), uint(slow));
    result[id * 2u + 1u] = uvec4(s, carry, d, borrow);
}
