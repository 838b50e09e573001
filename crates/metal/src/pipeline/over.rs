//! Shaders of what is drawn over pictures: rectangles of one colour, or with a glyph in them.
//!
//! An instance is a rectangle, four words: x and y, width and height in 16 bits each from the upper left, the number of the glyph, and the
//! colour, red in the lowest byte. The vertex stage has them in buffer 1, and what a pixel is of clip space in buffer 0; the fragment stage
//! has the bits of the font in buffer 1.

use afterimage_render::hud::font::{GLYPHS, HEIGHT, WIDTH};

/// What goes from the vertex to the fragment stage.
const BETWEEN: &str = "    float2 place [[user(place)]];\n    uint glyph [[user(glyph), flat]];\n    float4 color [[user(color), flat]];\n};\n\n";

/// The vertex function, `corner`: a strip of four corners.
pub(super) fn vertex() -> String {
    format!(
        "struct corner_out\n{{\n    float4 position [[position]];\n{BETWEEN}\
         vertex corner_out corner(uint number [[vertex_id]],\n                         uint instance [[instance_id]],\n                         \
         constant float4* data [[buffer(0)]],\n                         constant uint4* rectangles [[buffer(1)]])\n{{\n    \
         corner_out out = {{}};\n    \
         uint4 rectangle = rectangles[instance];\n    \
         uint2 side = uint2(number & 1u, number >> 1u);\n    \
         uint2 first = uint2(rectangle.x & 65535u, rectangle.x >> 16u);\n    \
         uint2 extent = uint2(rectangle.y & 65535u, rectangle.y >> 16u);\n    \
         float2 at = float2(first + side * extent) * data[0].xy;\n    \
         uint word = rectangle.w;\n    \
         out.position = float4(at.x - 1.0, 1.0 - at.y, 0.0, 1.0);\n    \
         out.place = float2(side) * float2({WIDTH}.0, {HEIGHT}.0);\n    \
         out.glyph = rectangle.z;\n    \
         out.color = float4(float(word & 255u), float(word >> 8u & 255u), float(word >> 16u & 255u), float(word >> 24u)) / 255.0;\n    \
         return out;\n}}\n"
    )
}

/// The fragment function, `texel`: the colour, where the glyph has a bit; everywhere where it is no glyph's number.
pub(super) fn fragment() -> String {
    format!(
        "struct texel_in\n{{\n{BETWEEN}struct texel_out\n{{\n    float4 color [[color(0)]];\n}};\n\n\
         fragment texel_out texel(texel_in in [[stage_in]],\n                         constant uint* font [[buffer(1)]])\n{{\n    \
         texel_out out = {{}};\n    \
         uint2 at = min(uint2(in.place), uint2({right}u, {bottom}u));\n    \
         uint bit = min(in.glyph, {last}u) * {cell}u + at.y * {WIDTH}u + at.x;\n    \
         uint set = font[bit >> 5u] >> (bit & 31u) & 1u;\n    \
         out.color = float4(in.color.xyz, set != 0u || in.glyph >= {GLYPHS}u ? in.color.w : 0.0);\n    \
         return out;\n}}\n",
        right = WIDTH - 1,
        bottom = HEIGHT - 1,
        last = GLYPHS - 1,
        cell = WIDTH * HEIGHT,
    )
}
