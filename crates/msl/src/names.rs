//! Identifiers out of the IR's names.

use rustc_hash::FxHashMap;

/// Words that no identifier of ours may be, in order: those of C++14 and Metal, and what the written code calls.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "FLT_EPSILON", "FLT_MAX", "FLT_MIN", "HUGE_VALF", "INFINITY", "MAXFLOAT", "NAN", "NULL", "abs", "access", "add_carries",
    "alignas", "alignof", "all", "and", "and_eq", "any", "as_type", "asm", "assert", "atomic", "auto", "bias", "bitand",
    "bitor", "bordered", "break", "case", "catch", "ceil", "clamp", "class", "clz", "compared", "compl", "component",
    "const", "const_cast", "constant", "constants", "constexpr", "continue", "coord", "cos", "ctz", "decltype", "default",
    "delete", "depth2d", "depthcube", "detail_of", "device", "device_word", "dfdx", "dfdy", "discard_fragment", "do", "dot",
    "dynamic_cast", "else", "enum", "exp2", "explicit", "exponent", "export", "extern", "fabs", "false", "feedback",
    "filter", "float_to_half", "float_to_half_toward_zero", "float_to_int", "float_to_uint", "floor", "fma", "for",
    "fragment", "friend", "goto", "gradient2d", "gradient3d", "gradientcube", "half_to_float", "highest_bit",
    "highest_bit_signed", "if", "in", "infinity", "inline", "is_function_constant_defined", "isnan", "kernel", "level",
    "log2", "lowest_bit", "main", "mantissa", "max", "mem_flags", "memory_barrier", "memory_order_relaxed", "metal", "min",
    "mulhi", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "out",
    "popcount", "precise", "private", "protected", "public", "ray_data", "reduced_layer", "reduced_texel", "reduced_volume",
    "register", "reinterpret_cast", "return", "reverse_bits", "rint", "rsqrt", "sampler", "samplers", "scale_by_power",
    "select", "signed", "signed_divide", "signed_field", "signed_remainder", "sin", "size_t", "sizeof", "sqrt", "static",
    "static_assert", "static_cast", "struct", "subtract_borrows", "switch", "system", "template", "texture2d", "texture3d",
    "texturecube", "this", "thread", "thread_local", "threadgroup", "threadgroup_barrier", "threadgroup_imageblock", "throw",
    "true", "trunc", "try", "typedef", "typeid", "typename", "union", "unsigned", "unsigned_divide", "unsigned_field",
    "unsigned_remainder", "using", "vertex", "virtual", "visible", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
];

/// Scalar types; with a digit or a matrix' size behind them they are words as well.
const SCALARS: &[&str] =
    &["bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bfloat"];

/// With anything behind them they are functions and types, Metal's and the writer's.
const FAMILIES: &[&str] = &["atomic_", "load_device", "load_shared", "store_device", "store_shared"];

fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || SCALARS.iter().any(|scalar| {
            name.strip_prefix(scalar).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'x'))
        })
}

/// Whether it is an identifier that is free for use.
pub(crate) fn is_identifier(name: &str) -> bool {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let begins = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    // Two underscores in a row are the compiler's.
    plain && begins && !name.contains("__") && !is_reserved(name)
}

/// Whether values could have that name: `v` and a number, or what such a variable will be in the next round of a loop.
fn is_value(name: &str) -> bool {
    let name = name.strip_prefix("next_").unwrap_or(name);
    name.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

/// The names of one scope.
#[derive(Default)]
pub(crate) struct Names {
    /// With the number that the next one like it tries.
    taken: FxHashMap<String, u32>,
    /// Whether values live in the scope too.
    values: bool,
}

impl Names {
    /// Names of a structure's members.
    pub(crate) fn members() -> Names {
        Names::default()
    }

    /// Names in the function `entry`.
    pub(crate) fn function(entry: &str) -> Names {
        let taken = ["", "_in", "_out"].map(|ending| (format!("{entry}{ending}"), 1));
        Names { taken: taken.into_iter().collect(), values: true }
    }

    /// An identifier like `wanted`, or like `otherwise` if nothing of that is left, that no one else in this scope has.
    pub(crate) fn pick(&mut self, wanted: &str, otherwise: &str) -> String {
        let mut name = String::with_capacity(wanted.len() + 1);
        for c in wanted.chars().skip_while(|c| !c.is_ascii_alphabetic()) {
            let c = if c.is_ascii_alphanumeric() { c } else { '_' };
            if c != '_' || !name.ends_with('_') {
                name.push(c);
            }
        }
        if name.is_empty() {
            name.push_str(otherwise);
        }
        if is_reserved(&name) || self.values && is_value(&name) {
            name.push('_');
        }
        while let Some(next) = self.taken.get_mut(&name) {
            let number = *next;
            *next += 1;
            name = format!("{}_{number}", name.trim_end_matches('_'));
        }
        self.taken.insert(name.clone(), 1);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_in_order() {
        assert!(RESERVED.windows(2).all(|w| w[0] < w[1]), "{:?}", RESERVED.windows(2).find(|w| w[0] >= w[1]));
    }

    #[test]
    fn names_are_identifiers_and_differ() {
        let mut names = Names::function("main0");
        let wanted =
            ["t0", "t0", "t0_", "vertex", "float4", "v12", "v", "9 lives", "\u{e9}t\u{e9}", "a__b", "", "", "_x"];
        let found: Vec<String> = wanted.iter().map(|name| names.pick(name, "x")).collect();
        let all: std::collections::HashSet<&String> = found.iter().collect();
        assert_eq!(all.len(), found.len(), "{found:?}");
        assert!(found.iter().all(|name| is_identifier(name) && !is_value(name)), "{found:?}");
        assert_eq!(found[..8], ["t0", "t0_1", "t0_", "vertex_", "float4_", "v12_", "v_", "lives"]);
        assert_eq!(Names::members().pick("v12", "x"), "v12");
    }

    #[test]
    fn entries_are_checked() {
        assert!(["main0", "ps", "shader_1"].iter().all(|name| is_identifier(name)));
        assert!(
            ["main", "", "0a", "_a", "a__b", "float4", "a b", "a;", "kernel"].iter().all(|name| !is_identifier(name))
        );
    }
}
