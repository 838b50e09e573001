#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Copies the parameters of indirect draws, of which a buffer says how many there are: those beyond are of nothing.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
// `stride` is the words from one draw's parameters to the next, of which there are `words`; what is written lies close.
layout(push_constant) uniform Push { uvec2 from; uvec2 count; uvec2 to; uint stride; uint words; uint most; } push;

void main() {
    uint draw = gl_GlobalInvocationID.x;
    if (draw >= push.most) {
        return;
    }
    bool there = draw < Words(push.count).at[0];
    for (uint n = 0u; n < push.words; n++) {
        Words(push.to).at[draw * push.words + n] = there ? Words(push.from).at[draw * push.stride + n] : 0u;
    }
}
