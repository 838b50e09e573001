#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
//! about Bytes and halves by address.
//! groups 2
//! buffer 0 512 random
//! buffer 1 512 zero
//! addresses 0 1
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 1) buffer Bytes { uint8_t at[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Halves { int16_t at[]; };
layout(push_constant) uniform Push { Bytes source; Halves result; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    int low = int(source.at[id * 3u]);
    int high = int(source.at[511u - id]);
    result.at[id * 2u] = int16_t(low - 2 * high);
    result.at[id * 2u + 1u] = int16_t(high * low);
}
