#version 460
#extension GL_EXT_buffer_reference : require

// The push constants are an address, as our own back end has them.
layout(buffer_reference, std430) readonly buffer Places { vec4 places[8]; };
layout(push_constant) uniform Push { Places there; };

void main() {
    gl_Position = there.places[gl_VertexIndex & 7];
}
