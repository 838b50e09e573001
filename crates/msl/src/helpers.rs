//! Functions for what the IR defines and Metal leaves open. Only those that a shader calls are written into it.

use std::fmt::Write as _;

use afterimage_ir::{Component, Dim, Kind, Op, TextureDecl, Type};

use crate::expr::type_name;
use crate::texture_types::texture_type;

/// What sets a border of any colour.
const BORDERED: &str = "
// A lookup with a border of any colour, of those with a black one and a white one.
template <typename T> static inline T bordered(T black, T white, T border)
{
    return black + (white - black) * border;
}
";

/// What compares with a border of any colour. The texels of a border of 0 and of one of 1 compare otherwise but where all borders compare
/// alike, so what one lookup has more than the other is how much of the border is in them.
const COMPARED: &str = "
// A lookup that compares with a border, of those with one of 0 and one of 1. `holds` is what is had of a reference below the border, equal
// to it, and above it.
template <typename T> static inline T compared(T black, T white, float border, float reference, float4 holds)
{
    float at = precise::clamp(reference, 0.0f, 1.0f);
    float outside = at < border ? holds.y : at == border ? holds.z : holds.w;
    return precise::min(black, white) + fabs(white - black) * outside;
}
";

/// The shapes of textures whose least or greatest texels are taken, with what their functions are called.
const REDUCED: [(Dim, &str); 3] =
    [(Dim::D2, "reduced_texel"), (Dim::D2Array, "reduced_layer"), (Dim::D3, "reduced_volume")];

/// Writes the lookup that takes the least or greatest texel, for a shape: the sampler gives the nearest texel, and all around a place are
/// looked up in turn.
fn write_reduced(out: &mut String, dim: Dim, name: &str) {
    let texture = texture_type(&TextureDecl { slot: 0, dim, shadow: false, component: Component::Float });
    let lanes = if dim == Dim::D3 { 3 } else { 2 };
    let floats = type_name(Type::new(Kind::Float, lanes));
    let (layer, in_layer) = if dim == Dim::D2Array { (", uint layer", ", layer") } else { ("", "") };
    let (deep, depth) = if lanes == 3 { (", float(texture.get_depth(at))", ", float(corner >> 2u)") } else { ("", "") };
    let corners = 1 << lanes;
    let _ = write!(
        out,
        "
// The least or greatest of the texels that a linear filter would mix, as `how` says.
static inline float4 {name}({texture} texture, sampler nearest, {floats} place{layer}, {floats} moved, float detail, float4 how)
{{
    uint kinds = uint(how.y);
    float clamped = precise::clamp(detail, how.z, how.w);
    bool is_linear = ((clamped > 0.0f ? kinds >> 1u : kinds) & 1u) != 0u;
    float wanted = precise::clamp(clamped, 0.0f, float(texture.get_num_mip_levels() - 1u));
    bool mixes = (kinds & 4u) != 0u;
    uint first = uint(mixes ? floor(wanted) : floor(wanted + 0.5f));
    uint last = mixes ? uint(ceil(wanted)) : first;
    float4 found = float4(0.0f);
    bool is_first = true;
    for (uint at = first; at <= last; at++) {{
        {floats} size = {floats}(float(texture.get_width(at)), float(texture.get_height(at)){deep});
        {floats} texel = place * size + moved - {floats}(is_linear ? 0.5f : 0.0f);
        {floats} low = floor(texel);
        {floats} part = is_linear ? texel - low : {floats}(0.0f);
        for (uint corner = 0u; corner < {corners}u; corner++) {{
            {floats} by = {floats}(float(corner & 1u), float(corner >> 1u & 1u){depth});
            // What has no weight is no part of it.
            if (all(by == {floats}(0.0f) || part > {floats}(0.0f))) {{
                float4 one = how.x * texture.sample(nearest, (low + by + {floats}(0.5f)) / size{in_layer}, level(float(at)));
                found = is_first ? one : precise::max(found, one);
                is_first = false;
            }}
        }}
    }}
    return how.x * found;
}}
"
    );
}

/// The level of detail of gradients in texels.
const DETAIL: &str = "
// The level of detail that changes of a place in texels ask for.
template <typename T> static inline float detail_of(T dx, T dy)
{
    return 0.5f * precise::log2(precise::max(dot(dx, dx), dot(dy, dy)));
}
";

/// A fence. Before 3.2 Metal has none for more than a threadgroup.
pub(crate) const FENCE: &str = "
// What was stored before is seen by everybody who sees what is stored afterwards.
static inline void memory_barrier()
{
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device);
}
";

/// A function on scalars, from which that on vectors follows.
struct Helper {
    op: Op,
    name: &'static str,
    operands: &'static [Kind],
    result: Kind,
    /// What it gives for `a`, `b` and `c`: the last statement of it returns.
    body: &'static str,
    comment: &'static str,
}

/// Names of operands.
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The functions, by opcode.
const HELPERS: [Helper; 19] = [
    Helper {
        op: Op::FToI,
        name: "float_to_int",
        operands: &[Kind::Float; 1],
        result: Kind::Int,
        body: "return a >= 2147483648.0f ? 0x7fffffffu : a > -2147483648.0f ? uint(int(a)) : a <= -2147483648.0f ? 0x80000000u : 0u;",
        comment: "Toward zero, clamped to the range; 0 for NaN.",
    },
    Helper {
        op: Op::FToU,
        name: "float_to_uint",
        operands: &[Kind::Float; 1],
        result: Kind::Int,
        body: "return a >= 4294967296.0f ? 0xffffffffu : a > 0.0f ? uint(a) : 0u;",
        comment: "Toward zero, clamped to the range; 0 for NaN.",
    },
    Helper {
        op: Op::UDiv,
        name: "unsigned_divide",
        operands: &[Kind::Int; 2],
        result: Kind::Int,
        body: "return b == 0u ? 0xffffffffu : a / b;",
        comment: "All bits for a division by zero.",
    },
    Helper {
        op: Op::UMod,
        name: "unsigned_remainder",
        operands: &[Kind::Int; 2],
        result: Kind::Int,
        body: "return b == 0u ? 0xffffffffu : a % b;",
        comment: "All bits for a division by zero.",
    },
    Helper {
        op: Op::IDiv,
        name: "signed_divide",
        operands: &[Kind::Int; 2],
        result: Kind::Int,
        body: "return b == 0u ? 0xffffffffu : b == 0xffffffffu ? -a : uint(int(a) / int(b));",
        comment: "Wraps; all bits for a division by zero.",
    },
    Helper {
        op: Op::IRem,
        name: "signed_remainder",
        operands: &[Kind::Int; 2],
        result: Kind::Int,
        body: "return b == 0u ? 0xffffffffu : b == 0xffffffffu ? 0u : uint(int(a) % int(b));",
        comment: "Sign of the dividend; all bits for a division by zero.",
    },
    Helper {
        op: Op::FindLsb,
        name: "lowest_bit",
        operands: &[Kind::Int; 1],
        result: Kind::Int,
        body: "return a == 0u ? 0xffffffffu : ctz(a);",
        comment: "Number of the lowest bit that is set; all bits without any.",
    },
    Helper {
        op: Op::FindMsb,
        name: "highest_bit",
        operands: &[Kind::Int; 1],
        result: Kind::Int,
        body: "return 31u - clz(a);",
        comment: "Number of the highest bit that is set; all bits without any.",
    },
    Helper {
        op: Op::FindMsbSigned,
        name: "highest_bit_signed",
        operands: &[Kind::Int; 1],
        result: Kind::Int,
        body: "return 31u - clz(a ^ uint(int(a) >> 31));",
        comment: "Number of the highest bit that differs from the sign; all bits without any.",
    },
    Helper {
        op: Op::UBfe,
        name: "unsigned_field",
        operands: &[Kind::Int; 3],
        result: Kind::Int,
        body: "return a >> (b & 31u) & ~(0xffffffffu << (c & 31u));",
        comment: "c bits of a from bit b on.",
    },
    Helper {
        op: Op::IBfe,
        name: "signed_field",
        operands: &[Kind::Int; 3],
        result: Kind::Int,
        body: "uint first = b & 31u;\n    uint count = c & 31u;\n    uint above = 32u - min(first + count, 32u);\n    \
               return count == 0u ? 0u : uint(int(a << above) >> (above + first));",
        comment: "c bits of a from bit b on, continued with their sign.",
    },
    Helper {
        op: Op::UAddCarry,
        name: "add_carries",
        operands: &[Kind::Int; 2],
        result: Kind::Bool,
        body: "return a + b < a;",
        comment: "Whether the sum does not fit.",
    },
    Helper {
        op: Op::USubBorrow,
        name: "subtract_borrows",
        operands: &[Kind::Int; 2],
        result: Kind::Bool,
        body: "return a < b;",
        comment: "Whether the difference does not fit.",
    },
    Helper {
        op: Op::FToH,
        name: "float_to_half",
        operands: &[Kind::Float; 1],
        result: Kind::Int,
        body: "uint sign = as_type<uint>(a) >> 16 & 0x8000u;\n    uint size = as_type<uint>(a) & 0x7fffffffu;\n    \
               uint half_size = size >= 0x47800000u ? 0x7c00u : \
               size < 0x38800000u ? as_type<uint>(as_type<float>(size) + 0.5f) - 0x3f000000u : \
               (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;\n    \
               return size > 0x7f800000u ? 0x7e00u : sign | half_size;",
        comment: "Bits of the nearest half, of two the even one; 0x7e00 for NaN.",
    },
    Helper {
        op: Op::FToHZ,
        name: "float_to_half_toward_zero",
        operands: &[Kind::Float; 1],
        result: Kind::Int,
        body: "uint sign = as_type<uint>(a) >> 16 & 0x8000u;\n    uint size = as_type<uint>(a) & 0x7fffffffu;\n    \
               uint half_size = size == 0x7f800000u ? 0x7c00u : size >= 0x47800000u ? 0x7bffu : \
               size < 0x38800000u ? uint(as_type<float>(size) * 16777216.0f) : (size - 0x38000000u) >> 13;\n    \
               return size > 0x7f800000u ? 0x7e00u : sign | half_size;",
        comment: "Bits of the half toward zero; finite numbers stay finite, NaN gives 0x7e00.",
    },
    Helper {
        op: Op::HToF,
        name: "half_to_float",
        operands: &[Kind::Int; 1],
        result: Kind::Float,
        body: "uint size = a & 0x7fffu;\n    \
               uint bits = size > 0x7c00u ? 0x7fc00000u : size == 0x7c00u ? 0x7f800000u : \
               size < 0x400u ? as_type<uint>(float(size) / 16777216.0f) : (size << 13) + 0x38000000u;\n    \
               return as_type<float>(bits | (a & 0x8000u) << 16);",
        comment: "Float of the half in the low bits.",
    },
    Helper {
        op: Op::FLdexp,
        name: "scale_by_power",
        operands: &[Kind::Float, Kind::Int],
        result: Kind::Float,
        body: "int rest = int(b);\n    for (uint i = 0u; i < 3u; i++) {\n        int step = clamp(rest, -126, 127);\n        \
               a = a * as_type<float>(uint(step + 127) << 23);\n        rest = rest - step;\n    }\n    return a;",
        comment: "a * 2^b for signed b, in steps that are powers of two themselves.",
    },
    Helper {
        op: Op::FFrexpMant,
        name: "mantissa",
        operands: &[Kind::Float; 1],
        result: Kind::Float,
        body: "uint size = as_type<uint>(a) & 0x7fffffffu;\n    uint shift = size < 0x800000u ? clz(size) - 8u : 0u;\n    \
               uint mantissa = 0x3f000000u | (size << (shift & 31u) & 0x7fffffu);\n    \
               return size == 0u || size >= 0x7f800000u ? a : as_type<float>(mantissa | (as_type<uint>(a) & 0x80000000u));",
        comment: "From 0.5 to below 1, with the sign; what is no such number times a power of two is itself.",
    },
    Helper {
        op: Op::FFrexpExp,
        name: "exponent",
        operands: &[Kind::Float; 1],
        result: Kind::Int,
        body: "uint size = as_type<uint>(a) & 0x7fffffffu;\n    uint shift = size < 0x800000u ? clz(size) - 8u : 0u;\n    \
               return size == 0u || size >= 0x7f800000u ? 0u : (size << (shift & 31u) >> 23) - 126u - shift;",
        comment: "The power of two that the mantissa is multiplied by; 0 of zeros, infinities and NaN.",
    },
];

/// The functions that a shader calls, by opcode and number of lanes.
#[derive(Default)]
pub(crate) struct Helpers {
    /// Bit 0 is set if the function is called at all, bits 2 to 4 if for so many lanes.
    called: [u8; HELPERS.len()],
    /// Whether borders are made.
    pub(crate) bordered: bool,
    /// Whether borders are made that are compared with.
    pub(crate) compared: bool,
    /// A bit for each shape whose least or greatest texels are taken.
    reduced: u8,
}

impl Helpers {
    /// Name of the function that computes the opcode on so many lanes.
    pub(crate) fn call(&mut self, op: Op, lanes: u8) -> &'static str {
        let Some(at) = HELPERS.iter().position(|helper| helper.op == op) else { return op.name() };
        self.called[at] |= 1 | if lanes > 1 { 1 << lanes } else { 0 };
        HELPERS[at].name
    }

    /// Name of the function that takes the least or greatest texel of a texture of the shape.
    pub(crate) fn reduce(&mut self, dim: Dim) -> Option<&'static str> {
        let at = REDUCED.iter().position(|(of, _)| *of == dim)?;
        self.reduced |= 1 << at;
        Some(REDUCED[at].1)
    }

    /// Writes the functions that are called.
    pub(crate) fn write(&self, out: &mut String) {
        if self.reduced != 0 {
            out.push_str(DETAIL);
        }
        for (at, (dim, name)) in REDUCED.iter().enumerate() {
            if self.reduced >> at & 1 != 0 {
                write_reduced(out, *dim, name);
            }
        }
        if self.bordered {
            out.push_str(BORDERED);
        }
        if self.compared {
            out.push_str(COMPARED);
        }
        for (helper, &called) in HELPERS.iter().zip(&self.called).filter(|(_, called)| **called != 0) {
            let Helper { name, operands, result, body, comment, .. } = *helper;
            let arguments = |out: &mut String, lanes| {
                for (i, (name, kind)) in NAMES.iter().zip(operands).enumerate() {
                    let ty = type_name(Type::new(*kind, lanes));
                    let comma = if i > 0 { ", " } else { "" };
                    let _ = write!(out, "{comma}{ty} {name}");
                }
            };
            let _ = write!(out, "\n// {comment}\nstatic inline {} {name}(", type_name(Type::new(result, 1)));
            arguments(out, 1);
            let _ = write!(out, ")\n{{\n    {body}\n}}\n");
            for lanes in (2..=4).filter(|lanes| called >> lanes & 1 != 0) {
                let ty = type_name(Type::new(result, lanes));
                let _ = write!(out, "\nstatic inline {ty} {name}(");
                arguments(out, lanes);
                let _ = write!(out, ")\n{{\n    return {ty}(");
                for (i, lane) in ["x", "y", "z", "w"][..lanes as usize].iter().enumerate() {
                    let _ = write!(out, "{}{name}(", if i > 0 { ", " } else { "" });
                    for (i, name) in NAMES[..operands.len()].iter().enumerate() {
                        let _ = write!(out, "{}{name}.{lane}", if i > 0 { ", " } else { "" });
                    }
                    out.push(')');
                }
                out.push_str(");\n}\n");
            }
        }
    }
}
