#version 450
// refused: builtin SampleId is not covered
layout(location = 0) out vec4 c;
void main() { c = vec4(gl_SampleID); }
