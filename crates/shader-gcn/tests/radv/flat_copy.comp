#version 450
#extension GL_EXT_buffer_reference : require
//! about Memory by addresses that lanes compute: words, vectors, and what is read of one buffer to find a place in another.
//! groups 2
//! buffer 0 1024 random
//! buffer 1 2048 zero
//! buffer 2 1024 below 128
//! addresses 0 1 2
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 vector[]; };
layout(push_constant) uniform Push { Words source; Vectors result; Words places; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint place = places.word[id];
    Words other = (id & 1u) != 0u ? source : places;
    uvec4 v = uvec4(source.word[place], other.word[id ^ 5u], source.word[id + 128u], place);
    if ((v.x & 3u) != 0u)
        v.w += source.word[v.x & 255u];
    result.vector[id] = v;
}
