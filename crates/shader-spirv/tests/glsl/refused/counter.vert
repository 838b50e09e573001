#version 450
// refused: OpAtomicIAdd is not covered
layout(set = 0, binding = 0, std430) buffer Log { uint count; } log_;
void main() { gl_Position = vec4(float(atomicAdd(log_.count, 1u))); }
