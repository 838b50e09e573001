//! Atomic operations on words, and on texels.

use std::fmt::Write as _;

use afterimage_ir::{AtomicOp, Component, Dim, ImageDecl, ImageFormat};

use crate::texture_types::image_type;
use crate::words::Space;

/// How an operation is done.
enum Way {
    /// A function of Metal on unsigned integers.
    Unsigned(&'static str),
    /// A function of Metal on signed ones.
    Signed(&'static str),
    /// This takes the place of `old`, unless somebody has changed that meanwhile.
    Swaps(&'static str),
}

fn way(op: AtomicOp) -> Way {
    match op {
        AtomicOp::Add => Way::Unsigned("atomic_fetch_add_explicit"),
        AtomicOp::Sub => Way::Unsigned("atomic_fetch_sub_explicit"),
        AtomicOp::IMin => Way::Signed("atomic_fetch_min_explicit"),
        AtomicOp::IMax => Way::Signed("atomic_fetch_max_explicit"),
        AtomicOp::UMin => Way::Unsigned("atomic_fetch_min_explicit"),
        AtomicOp::UMax => Way::Unsigned("atomic_fetch_max_explicit"),
        AtomicOp::And => Way::Unsigned("atomic_fetch_and_explicit"),
        AtomicOp::Or => Way::Unsigned("atomic_fetch_or_explicit"),
        AtomicOp::Xor => Way::Unsigned("atomic_fetch_xor_explicit"),
        AtomicOp::Swap => Way::Unsigned("atomic_exchange_explicit"),
        AtomicOp::RSub => Way::Swaps("value - old"),
        AtomicOp::Inc => Way::Swaps("old >= value ? 0u : old + 1u"),
        AtomicOp::Dec => Way::Swaps("old == 0u || old > value ? value : old - 1u"),
        AtomicOp::CmpSwap => Way::Swaps("old == second ? value : old"),
        AtomicOp::FCmpSwap => Way::Swaps("as_type<float>(old) == as_type<float>(second) ? value : old"),
        AtomicOp::FMin => {
            Way::Swaps("as_type<float>(old) <= as_type<float>(value) || isnan(as_type<float>(value)) ? old : value")
        }
        AtomicOp::FMax => {
            Way::Swaps("as_type<float>(old) >= as_type<float>(value) || isnan(as_type<float>(value)) ? old : value")
        }
        AtomicOp::MaskOr => Way::Swaps("(old & ~second) | value"),
    }
}

/// The operation's number.
pub(crate) fn number(op: AtomicOp) -> u32 {
    op as u32
}

/// Writes the function of an operation: it gives what was there.
pub(crate) fn write(out: &mut String, op: AtomicOp, space: Space) {
    let second = if op.operands() > 1 { ", uint second" } else { "" };
    let (name, qualifier) = (space.name(), space.qualifier());
    let _ = write!(
        out,
        "\nstatic inline uint atomic_{}_{name}({}, uint value{second})\n{{\n",
        op.name(),
        space.arguments()
    );
    let word = match space {
        Space::Device => "device_word(address)",
        Space::Shared(words) => {
            let _ = write!(out, "    if (offset >> 2 >= {words}u) {{\n        return 0u;\n    }}\n");
            "memory + (offset >> 2)"
        }
    };
    let integer = if matches!(way(op), Way::Signed(_)) { "int" } else { "uint" };
    let _ = writeln!(
        out,
        "    {qualifier} atomic_{integer}* at = reinterpret_cast<{qualifier} atomic_{integer}*>({word});"
    );
    let _ = match way(op) {
        Way::Unsigned(function) => writeln!(out, "    return {function}(at, value, memory_order_relaxed);"),
        Way::Signed(function) => writeln!(out, "    return uint({function}(at, int(value), memory_order_relaxed));"),
        Way::Swaps(new) => writeln!(
            out,
            "    uint old = atomic_load_explicit(at, memory_order_relaxed);\n    \
             while (!atomic_compare_exchange_weak_explicit(at, &old, {new}, memory_order_relaxed, memory_order_relaxed)) {{\n    }}\n    \
             return old;"
        ),
    };
    out.push_str("}\n");
}

/// The name of [the function](write_wide) of an operation on 64 bits.
pub(crate) fn wide_name(op: AtomicOp) -> String {
    format!("atomic_{}_device2", op.name())
}

/// Writes the function of an operation on 64 bits of device memory, the lesser or the greater of two numbers.
pub(crate) fn write_wide(out: &mut String, op: AtomicOp) {
    let function = if op == AtomicOp::UMin { "atomic_min_explicit" } else { "atomic_max_explicit" };
    let _ = write!(
        out,
        "\n// The lowest three bits of the address do not count.\n\
         static inline void {}(uint2 address, uint2 value)\n{{\n    \
         device atomic_ulong* at = reinterpret_cast<device atomic_ulong*>(as_type<ulong>(address & uint2(0xfffffff8u, 0xffffffffu)));\n    \
         {function}(at, as_type<ulong>(value), memory_order_relaxed);\n}}\n",
        wide_name(op)
    );
}

/// The operations on texels that a shader calls, by the shape of the image and what its texels are.
#[derive(Default)]
pub(crate) struct Texels(Vec<(AtomicOp, Dim, Component)>);

impl Texels {
    /// Name of the function of an operation.
    pub(crate) fn call(&mut self, op: AtomicOp, dim: Dim, component: Component) -> String {
        if !self.0.contains(&(op, dim, component)) {
            self.0.push((op, dim, component));
        }
        texel_function(op, dim, component)
    }

    /// Writes the functions that are called.
    pub(crate) fn write(&self, out: &mut String) {
        if !self.0.is_empty() {
            out.push_str("\n// Beyond an image everything is 0, and stays so.");
        }
        for &(op, dim, component) in &self.0 {
            write_texel(out, op, dim, component);
        }
    }
}

fn texel_function(op: AtomicOp, dim: Dim, component: Component) -> String {
    let shape = match dim {
        Dim::D2Array => "layer",
        Dim::D3 => "volume",
        _ => "texel",
    };
    format!("atomic_{}_{shape}{}", op.name(), if component == Component::Sint { "_signed" } else { "" })
}

/// Writes the function of an operation on a texel. Metal has operations of the texels' own kind.
fn write_texel(out: &mut String, op: AtomicOp, dim: Dim, component: Component) {
    let signed = component == Component::Sint;
    let second = if op.operands() > 1 { ", uint second" } else { "" };
    let image = image_type(&ImageDecl { slot: 0, dim, component, format: ImageFormat::R32 }, [true; 2]);
    let (place, at, outside) = match dim {
        Dim::D2Array => (
            "uint2 place, uint layer",
            "place, layer",
            "any(place >= uint2(image.get_width(), image.get_height())) || layer >= image.get_array_size()",
        ),
        Dim::D3 => {
            ("uint3 place", "place", "any(place >= uint3(image.get_width(), image.get_height(), image.get_depth()))")
        }
        _ => ("uint2 place", "place", "any(place >= uint2(image.get_width(), image.get_height()))"),
    };
    let function = texel_function(op, dim, component);
    let _ = write!(
        out,
        "\nstatic inline uint {function}({image} image, {place}, uint value{second})\n{{\n    if ({outside}) {{\n        return 0u;\n    }}\n"
    );
    let ty = if signed { "int" } else { "uint" };
    let cast = |text: &str| if signed { format!("int({text})") } else { text.to_owned() };
    let own = |name: &str| {
        let call = format!("image.{name}({at}, {ty}4({})).x", cast("value"));
        if signed { format!("    return uint({call});\n") } else { format!("    return {call};\n") }
    };
    // Functions on words have the order in their names.
    let plain = |function: &'static str| function.trim_end_matches("_explicit");
    let swaps = |new: &str| {
        let old = if signed { "uint(there.x)" } else { "there.x" };
        format!(
            "    {ty}4 there = image.atomic_load({at});\n    uint old = {old};\n    \
             while (!image.atomic_compare_exchange_weak({at}, &there, {ty}4({}))) {{\n        old = {old};\n    }}\n    \
             return old;\n",
            cast(new)
        )
    };
    out.push_str(&match way(op) {
        Way::Swaps(new) => swaps(new),
        Way::Signed(function) if signed => own(plain(function)),
        Way::Signed(_) if op == AtomicOp::IMin => swaps("int(old) < int(value) ? old : value"),
        Way::Signed(_) => swaps("int(old) > int(value) ? old : value"),
        Way::Unsigned(_) if signed && op == AtomicOp::UMin => swaps("old < value ? old : value"),
        Way::Unsigned(_) if signed && op == AtomicOp::UMax => swaps("old > value ? old : value"),
        Way::Unsigned(function) => own(plain(function)),
    });
    out.push_str("}\n");
}
