#version 460
#extension GL_EXT_buffer_reference : require

// An address in the push constants, and a uniform block.
layout(buffer_reference, std430) readonly buffer Places { vec4 places[8]; };
layout(push_constant) uniform Push { Places there; };
layout(binding = 1) uniform Scale { vec4 scale; };

void main() {
    gl_Position = there.places[gl_VertexIndex & 7] * scale;
}
