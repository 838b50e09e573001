#version 450
// refused: OpArrayLength is not covered
layout(set = 0, binding = 0, std430) readonly buffer Log { uint at[]; } log_;
void main() { gl_Position = vec4(float(log_.at.length())); }
