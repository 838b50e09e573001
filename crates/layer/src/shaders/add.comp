#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Adds the primitives of a stream in a feedback's counters to a query's values, or takes them off: numbers of 64 bits in two words.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Words { uvec2 at[]; };
// `stream` is the stream's number; `off` is 1 to take off.
layout(push_constant) uniform Push { uvec2 counters; uvec2 values; uint stream; uint off; } push;

// Places in a feedback's counters, in 8 bytes: primitives needed and written of each of four streams.
const uint NEEDED = 2;
const uint WRITTEN = 6;

void add(Words values, uint to, uvec2 number) {
    uvec2 value = values.at[to];
    uint carry;
    if (push.off != 0) {
        uint low = usubBorrow(value.x, number.x, carry);
        values.at[to] = uvec2(low, value.y - number.y - carry);
    } else {
        uint low = uaddCarry(value.x, number.x, carry);
        values.at[to] = uvec2(low, value.y + number.y + carry);
    }
}

void main() {
    Words counters = Words(push.counters);
    Words values = Words(push.values);
    add(values, 0, counters.at[WRITTEN + push.stream]);
    add(values, 1, counters.at[NEEDED + push.stream]);
}
