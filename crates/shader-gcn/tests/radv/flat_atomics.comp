#version 450
#extension GL_EXT_buffer_reference : require
//! about Atomic operations on memory by address.
//! groups 3
//! buffer 0 768 random
//! buffer 1 64 zero
//! buffer 2 768 zero
//! addresses 0 1 2
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words source; Words bins; Words result; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint v = source.word[id];
    atomicAdd(bins.word[v & 3u], 1u);
    atomicOr(bins.word[4u + (v & 3u)], v);
    atomicMax(bins.word[8u], v);
    atomicMin(bins.word[9u], ~v);
    atomicXor(bins.word[10u], v);
    result.word[id] = atomicAdd(result.word[id], v) + atomicExchange(result.word[id], v >> 1);
}
