//! Functions for what the IR defines and Metal leaves open. Only those that a shader calls are written into it.

use std::fmt::Write as _;

use afterimage_ir::{Kind, Op, Type};

use crate::expr::type_name;

/// A function on scalars, from which that on vectors follows.
struct Helper {
    op: Op,
    name: &'static str,
    operand: Kind,
    operands: usize,
    /// What it gives for `a` and `b`.
    body: &'static str,
    comment: &'static str,
}

/// The functions, by opcode. All give an unsigned integer.
const HELPERS: [Helper; 6] = [
    Helper {
        op: Op::FToI,
        name: "float_to_int",
        operand: Kind::Float,
        operands: 1,
        body: "a >= 2147483648.0f ? 0x7fffffffu : a > -2147483648.0f ? uint(int(a)) : a <= -2147483648.0f ? 0x80000000u : 0u",
        comment: "Toward zero, clamped to the range; 0 for NaN.",
    },
    Helper {
        op: Op::FToU,
        name: "float_to_uint",
        operand: Kind::Float,
        operands: 1,
        body: "a >= 4294967296.0f ? 0xffffffffu : a > 0.0f ? uint(a) : 0u",
        comment: "Toward zero, clamped to the range; 0 for NaN.",
    },
    Helper {
        op: Op::UDiv,
        name: "unsigned_divide",
        operand: Kind::Int,
        operands: 2,
        body: "b == 0u ? 0xffffffffu : a / b",
        comment: "All bits for a division by zero.",
    },
    Helper {
        op: Op::UMod,
        name: "unsigned_remainder",
        operand: Kind::Int,
        operands: 2,
        body: "b == 0u ? 0xffffffffu : a % b",
        comment: "All bits for a division by zero.",
    },
    Helper {
        op: Op::IDiv,
        name: "signed_divide",
        operand: Kind::Int,
        operands: 2,
        body: "b == 0u ? 0xffffffffu : b == 0xffffffffu ? -a : uint(int(a) / int(b))",
        comment: "Wraps; all bits for a division by zero.",
    },
    Helper {
        op: Op::IRem,
        name: "signed_remainder",
        operand: Kind::Int,
        operands: 2,
        body: "b == 0u ? 0xffffffffu : b == 0xffffffffu ? 0u : uint(int(a) % int(b))",
        comment: "Sign of the dividend; all bits for a division by zero.",
    },
];

/// The functions that a shader calls, by opcode and number of lanes.
#[derive(Default)]
pub(crate) struct Helpers {
    /// Bit 0 is set if the function is called at all, bits 2 to 4 if for so many lanes.
    called: [u8; HELPERS.len()],
}

impl Helpers {
    /// Name of the function that computes the opcode on so many lanes.
    pub(crate) fn call(&mut self, op: Op, lanes: u8) -> &'static str {
        let Some(at) = HELPERS.iter().position(|helper| helper.op == op) else { return op.name() };
        self.called[at] |= 1 | if lanes > 1 { 1 << lanes } else { 0 };
        HELPERS[at].name
    }

    /// Writes the functions that are called.
    pub(crate) fn write(&self, out: &mut String) {
        for (helper, &called) in HELPERS.iter().zip(&self.called).filter(|(_, called)| **called != 0) {
            let Helper { name, operand, operands, body, comment, .. } = *helper;
            let arguments = |out: &mut String, lanes| {
                let ty = type_name(Type::new(operand, lanes));
                out.push_str(ty);
                out.push_str(" a");
                if operands == 2 {
                    let _ = write!(out, ", {ty} b");
                }
            };
            let _ = write!(out, "\n// {comment}\nstatic inline uint {name}(");
            arguments(out, 1);
            let _ = write!(out, ")\n{{\n    return {body};\n}}\n");
            for lanes in (2..=4).filter(|lanes| called >> lanes & 1 != 0) {
                let _ = write!(out, "\nstatic inline uint{lanes} {name}(");
                arguments(out, lanes);
                let _ = write!(out, ")\n{{\n    return uint{lanes}(");
                for (i, lane) in ["x", "y", "z", "w"][..lanes as usize].iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    let _ = match operands {
                        2 => write!(out, "{comma}{name}(a.{lane}, b.{lane})"),
                        _ => write!(out, "{comma}{name}(a.{lane})"),
                    };
                }
                out.push_str(");\n}\n");
            }
        }
    }
}
