//! Expressions as text, with their precedence, and constants.

use std::fmt::Write as _;

use afterimage_ir::{Kind, Type, Value};

/// How tightly an expression binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Prec {
    /// `a ? b : c`.
    Any,
    /// `a || b`.
    Or,
    /// `a && b`.
    And,
    /// `a & b`, `a | b`, `a ^ b`, which always have parentheses around operands that are operations.
    Bits,
    /// `a < b`, `a == b`.
    Compare,
    /// `a << b`.
    Shift,
    /// `a + b`.
    Sum,
    /// `a * b`.
    Product,
    /// `-a`.
    Unary,
    /// Names, literals, calls, `a.x`, `a[i]`.
    Postfix,
}

/// An expression that has not been written yet.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    /// Its text; for a splat, that of the component.
    pub(crate) text: String,
    /// Precedence of the text.
    pub(crate) prec: Prec,
    /// Whether it is a vector whose components are all `text`.
    pub(crate) splat: bool,
    /// Whether it may be written any number of times: names, literals, components.
    pub(crate) free: bool,
    /// Whether the text makes a signed integer unsigned, by a call.
    pub(crate) from_signed: bool,
}

impl Expr {
    /// An expression that is worth a name if it is used more than once.
    pub(crate) fn new(text: String, prec: Prec) -> Expr {
        Expr { text, prec, splat: false, free: false, from_signed: false }
    }

    /// A call, name or the like.
    pub(crate) fn postfix(text: String) -> Expr {
        Expr::new(text, Prec::Postfix)
    }

    /// What `cast` makes of a signed integer.
    pub(crate) fn unsigned(cast: &str, text: &str) -> Expr {
        Expr { from_signed: true, ..Expr::postfix(format!("{cast}({text})")) }
    }

    /// The signed integer that the expression makes unsigned. It binds like a shift, if not tighter.
    pub(crate) fn signed(&self) -> Option<&str> {
        let inner = self.text.split_once('(')?.1.strip_suffix(')')?;
        self.from_signed.then_some(inner)
    }

    /// A constant.
    pub(crate) fn literal(text: String, prec: Prec, splat: bool) -> Expr {
        Expr { splat, free: true, ..Expr::new(text, prec) }
    }

    /// A name.
    pub(crate) fn free(text: String) -> Expr {
        Expr { free: true, ..Expr::postfix(text) }
    }
}

/// Name of a type. Untyped bits are unsigned integers.
pub(crate) fn type_name(ty: Type) -> &'static str {
    const NAMES: [[&str; 4]; 4] = [
        ["uint", "uint2", "uint3", "uint4"],
        ["float", "float2", "float3", "float4"],
        ["uint", "uint2", "uint3", "uint4"],
        ["bool", "bool2", "bool3", "bool4"],
    ];
    NAMES[ty.kind as usize][(ty.lanes as usize - 1) & 3]
}

/// Name of the signed integer type of as many lanes.
pub(crate) fn signed_name(ty: Type) -> &'static str {
    ["int", "int2", "int3", "int4"][(ty.lanes as usize - 1) & 3]
}

/// Writes a scalar constant, and gives its precedence.
pub(crate) fn literal(out: &mut String, kind: Kind, bits: u32) -> Prec {
    // Writing into a `String` cannot fail.
    let _ = match kind {
        Kind::Float => {
            let value = f32::from_bits(bits);
            return if value.is_normal() || value == 0.0 {
                // The shortest decimal that reads back as the same float.
                let _ = write!(out, "{value:?}f");
                if value.is_sign_negative() { Prec::Unary } else { Prec::Postfix }
            } else {
                // Infinity and NaN have no literal, and a compiler may flush a denormal one.
                let _ = write!(out, "as_type<float>({bits:#010x}u)");
                Prec::Postfix
            };
        }
        Kind::Bits | Kind::Int if bits < 1 << 16 => write!(out, "{bits}u"),
        Kind::Bits | Kind::Int => write!(out, "{bits:#x}u"),
        Kind::Bool => out.write_str(if bits != 0 { "true" } else { "false" }),
    };
    Prec::Postfix
}

/// Writes a scalar constant as a signed integer.
pub(crate) fn signed_literal(out: &mut String, bits: u32) -> Prec {
    let value = bits as i32;
    let _ = match value {
        // Its digits alone are out of range.
        i32::MIN => {
            out.push_str("int(0x80000000u)");
            return Prec::Postfix;
        }
        _ => write!(out, "{value}"),
    };
    if value < 0 { Prec::Unary } else { Prec::Postfix }
}

/// Writes the name of a value's variable. (Formatting costs more than all else here.)
pub(crate) fn put_name(out: &mut String, value: Value) {
    let mut digits = [0; 10];
    let (mut at, mut rest) = (digits.len(), value.0);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push('v');
    out.extend(digits[at..].iter().map(|&digit| digit as char));
}

/// Writes letters of components.
pub(crate) fn letters(out: &mut String, lanes: &[u8]) {
    out.extend(lanes.iter().map(|&lane| ['x', 'y', 'z', 'w'][lane as usize & 3]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_text_form() {
        for value in [0, 7, 10, 123, u32::MAX].map(Value) {
            let mut out = String::new();
            put_name(&mut out, value);
            assert_eq!(out, value.to_string());
        }
    }

    #[test]
    fn constants_are_exact() {
        let text = |kind, bits| {
            let mut out = String::new();
            literal(&mut out, kind, bits);
            out
        };
        let float = |f: f32| text(Kind::Float, f.to_bits());
        assert_eq!([float(1.0), float(-0.0), float(0.1), float(-2.5)], ["1.0f", "-0.0f", "0.1f", "-2.5f"]);
        assert_eq!([float(1e-10), float(f32::MAX)], ["1e-10f", "3.4028235e38f"]);
        assert_eq!([float(f32::NAN), float(1e-40)], ["as_type<float>(0x7fc00000u)", "as_type<float>(0x000116c2u)"]);
        assert_eq!([text(Kind::Int, 65535), text(Kind::Bits, !0)], ["65535u", "0xffffffffu"]);
        let signed = |bits| {
            let mut out = String::new();
            signed_literal(&mut out, bits);
            out
        };
        assert_eq!([signed(7), signed(!0), signed(1 << 31)], ["7", "-1", "int(0x80000000u)"]);
    }
}
