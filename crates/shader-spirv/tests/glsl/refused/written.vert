#version 450
// refused: writing a storage buffer is not covered
layout(set = 0, binding = 0, std430) buffer Log { uint at[]; } log_;
void main() {
    log_.at[gl_VertexIndex] = 1u;
    gl_Position = vec4(0.0);
}
