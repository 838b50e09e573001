#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// refused: capability Int16 is not covered
layout(location = 0) in ivec4 a;
void main() { gl_Position = vec4(i16vec4(a)); }
