#version 450
// refused: builtin CullDistance is not covered
out float gl_CullDistance[1];
void main() { gl_Position = vec4(0); gl_CullDistance[0] = 1.0; }
