#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// refused: capability Float16 is not covered
layout(location = 0) in vec4 a;
void main() { gl_Position = vec4(f16vec4(a)); }
