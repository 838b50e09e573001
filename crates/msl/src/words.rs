//! Memory as words: device memory by address, the memory of threadgroups, barriers. Only the functions that a shader calls are written
//! into it.

use std::fmt::Write as _;

use afterimage_ir::{AtomicOp, Imm, InstData, Kind, Op, Type, Value};

use crate::EmitError;
use crate::atomics;
use crate::emit::Emitter;
use crate::expr::{Prec, type_name};

/// Where words are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    /// Device memory, by address.
    Device,
    /// The memory of the threadgroup, of so many words, by offset.
    Shared(u32),
}

impl Space {
    /// Ending of the functions' names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Space::Device => "device",
            Space::Shared(_) => "shared",
        }
    }

    /// Metal's name of the address space.
    pub(crate) fn qualifier(self) -> &'static str {
        match self {
            Space::Device => "device",
            Space::Shared(_) => "threadgroup",
        }
    }

    /// What functions are told of the place.
    pub(crate) fn arguments(self) -> &'static str {
        match self {
            Space::Device => "uint2 address",
            Space::Shared(_) => "threadgroup uint* memory, uint offset",
        }
    }
}

/// The functions that a shader calls for one space.
#[derive(Clone, Copy, Default)]
struct Called {
    /// Bit per number of words.
    loads: u8,
    stores: u8,
    /// Bit per operation.
    atomics: u32,
    /// The same on two words as one number.
    wide_atomics: u32,
}

/// The functions that a shader calls.
#[derive(Default)]
pub(crate) struct Words {
    called: [Called; 2],
    /// Words of the threadgroup's memory.
    shared: u32,
}

impl Words {
    fn called(&mut self, space: Space) -> &mut Called {
        match space {
            Space::Device => &mut self.called[0],
            Space::Shared(words) => {
                self.shared = words;
                &mut self.called[1]
            }
        }
    }

    /// Name of the function that loads so many words.
    fn load(&mut self, space: Space, lanes: u8) -> String {
        self.called(space).loads |= 1 << (lanes & 7);
        name("load", space, lanes)
    }

    fn store(&mut self, space: Space, lanes: u8) -> String {
        self.called(space).stores |= 1 << (lanes & 7);
        name("store", space, lanes)
    }

    fn atomic(&mut self, space: Space, op: AtomicOp) -> String {
        self.called(space).atomics |= 1 << atomics::number(op);
        format!("atomic_{}_{}", op.name(), space.name())
    }

    /// Name of the function that makes the two words at a device address the lesser or greater of what they are as one number and another.
    fn wide_atomic(&mut self, op: AtomicOp) -> String {
        self.called(Space::Device).wide_atomics |= 1 << atomics::number(op);
        atomics::wide_name(op)
    }

    /// Writes the functions that are called.
    pub(crate) fn write(&self, out: &mut String) {
        for (space, called) in [Space::Device, Space::Shared(self.shared)].into_iter().zip(self.called) {
            if called.loads | called.stores == 0 && called.atomics | called.wide_atomics == 0 {
                continue;
            }
            out.push_str(match space {
                Space::Device => DEVICE_WORD,
                Space::Shared(_) => "\n// Beyond the threadgroup's memory everything is 0, and stays so.",
            });
            for lanes in lanes(called.loads) {
                write_load(out, space, lanes);
            }
            for lanes in lanes(called.stores) {
                write_store(out, space, lanes);
            }
            for &op in AtomicOp::ALL.iter().filter(|&&op| called.atomics >> atomics::number(op) & 1 != 0) {
                atomics::write(out, op, space);
            }
            for &op in AtomicOp::ALL.iter().filter(|&&op| called.wide_atomics >> atomics::number(op) & 1 != 0) {
                atomics::write_wide(out, op);
            }
        }
    }
}

const DEVICE_WORD: &str = "
// The word at a device address, the lowest two bits of which do not count.
static inline device uint* device_word(uint2 address)
{
    return reinterpret_cast<device uint*>(as_type<ulong>(address & uint2(0xfffffffcu, 0xffffffffu)));
}
";

/// Where each word of a vector is in it.
const PARTS: [&str; 4] = [".x", ".y", ".z", ".w"];

fn name(what: &str, space: Space, lanes: u8) -> String {
    match lanes {
        1 => format!("{what}_{}", space.name()),
        _ => format!("{what}_{}{lanes}", space.name()),
    }
}

fn lanes(bits: u8) -> impl Iterator<Item = u8> {
    (1..=4).filter(move |lanes| bits >> lanes & 1 != 0)
}

/// The first line of a function, and the one that finds the first word.
fn begin(out: &mut String, function: &str, space: Space, value: &str) {
    let _ = write!(out, "\nstatic inline {function}({}{value})\n{{\n", space.arguments());
    out.push_str(match space {
        Space::Device => "    device uint* at = device_word(address);\n",
        Space::Shared(_) => "    uint at = offset >> 2;\n",
    });
}

/// Number of a word behind the first.
fn shared_word(lane: u8) -> String {
    if lane == 0 { "at".to_owned() } else { format!("at + {lane}u") }
}

fn write_load(out: &mut String, space: Space, lanes: u8) {
    let ty = type_name(Type::new(Kind::Int, lanes));
    begin(out, &format!("{ty} {}", name("load", space, lanes)), space, "");
    let words: Vec<String> = (0..lanes)
        .map(|lane| match space {
            Space::Device => format!("at[{lane}]"),
            Space::Shared(words) => format!("{0} < {words}u ? memory[{0}] : 0u", shared_word(lane)),
        })
        .collect();
    let _ = match lanes {
        1 => write!(out, "    return {};\n}}\n", words[0]),
        _ => write!(out, "    return {ty}({});\n}}\n", words.join(", ")),
    };
}

fn write_store(out: &mut String, space: Space, lanes: u8) {
    let value = format!(", {} value", type_name(Type::new(Kind::Int, lanes)));
    begin(out, &format!("void {}", name("store", space, lanes)), space, &value);
    for (lane, part) in (0..lanes).zip(PARTS) {
        let part = if lanes == 1 { "" } else { part };
        let _ = match space {
            Space::Device => writeln!(out, "    at[{lane}] = value{part};"),
            Space::Shared(words) => {
                let at = shared_word(lane);
                writeln!(out, "    if ({at} < {words}u) {{\n        memory[{at}] = value{part};\n    }}")
            }
        };
    }
    out.push_str("}\n");
}

impl Emitter<'_> {
    fn space(&self, op: Op) -> Space {
        match op {
            Op::LoadShared | Op::StoreShared | Op::AtomicShared => Space::Shared(self.m.shared / 4),
            _ => Space::Device,
        }
    }

    /// Begins a call of a function on words with what says where they are.
    fn at(&self, function: &str, space: Space, place: Value) -> String {
        let mut text = format!("{function}(");
        if let Space::Shared(_) = space {
            let _ = write!(text, "{}, ", self.interface.shared);
        }
        self.put(&mut text, place, Prec::Any);
        text
    }

    /// Loads words, here and nowhere else.
    pub(crate) fn load_words(&mut self, data: &InstData, result: Value) {
        let (space, ty) = (self.space(data.op), self.m.ty(result));
        let function = self.words.load(space, ty.lanes);
        let mut text = self.at(&function, space, data.args[0]);
        text.push(')');
        if ty.kind == Kind::Float {
            text = format!("as_type<{}>({text})", type_name(ty));
        }
        self.define(result, &text);
    }

    pub(crate) fn store_words(&mut self, data: &InstData) -> Result<(), EmitError> {
        let &[place, value] = &data.args[..] else { return Err(EmitError::Malformed(data.op.name())) };
        let (space, ty) = (self.space(data.op), self.m.ty(value));
        let function = self.words.store(space, ty.lanes);
        let mut text = self.at(&function, space, place);
        text.push_str(", ");
        self.put_bits(&mut text, value);
        self.line(format_args!("{text});"));
        Ok(())
    }

    /// Writes a value as integers.
    fn put_bits(&self, out: &mut String, value: Value) {
        let ty = self.m.ty(value);
        if ty.kind != Kind::Float {
            return self.put(out, value, Prec::Any);
        }
        let _ = write!(out, "as_type<{}>(", type_name(Type::new(Kind::Int, ty.lanes)));
        self.put(out, value, Prec::Any);
        out.push(')');
    }

    /// An atomic operation, whether anybody wants what was there or not.
    pub(crate) fn atomic(&mut self, data: &InstData, result: Value) -> Result<(), EmitError> {
        let Imm::Atomic(op) = data.imm else { return Err(EmitError::Malformed(data.op.name())) };
        if self.m.ty(result).lanes != 1 {
            return self.wide_atomic(data, op, result);
        }
        let space = self.space(data.op);
        let function = self.words.atomic(space, op);
        let mut text = self.at(&function, space, data.args[0]);
        for &operand in &data.args[1..] {
            text.push_str(", ");
            self.put(&mut text, operand, Prec::Any);
        }
        text.push(')');
        if self.is_used(result) {
            self.define(result, &text);
        } else {
            self.line(format_args!("{text};"));
        }
        Ok(())
    }

    /// One on 64 bits: Metal has the lesser and the greater of two unsigned numbers in device memory, and does not say what was there.
    fn wide_atomic(&mut self, data: &InstData, op: AtomicOp, result: Value) -> Result<(), EmitError> {
        let &[place, value] = &data.args[..] else { return Err(EmitError::Unsupported(data.op.name())) };
        if !matches!(op, AtomicOp::UMin | AtomicOp::UMax) || data.op != Op::AtomicGlobal || self.is_used(result) {
            return Err(EmitError::Unsupported(data.op.name()));
        }
        let function = self.words.wide_atomic(op);
        let mut text = self.at(&function, Space::Device, place);
        text.push_str(", ");
        self.put_bits(&mut text, value);
        self.line(format_args!("{text});"));
        Ok(())
    }

    /// Waits for the whole threadgroup.
    pub(crate) fn barrier(&mut self) {
        self.line(format_args!("threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);"));
    }
}
