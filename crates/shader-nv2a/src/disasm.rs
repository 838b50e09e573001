//! Instructions to text. [`crate::asm`] reads it back to the same instructions and describes the language.

use crate::instruction::{Instruction, Mask, Register, Source, Target, Unit};
use crate::parse::Program;
use crate::tables::{Ilu, Mac, Output, Slot};
use std::fmt::{self, Display, Write};

/// First line of the text, the name that Xbox Direct3D gives the language.
pub const VERSION: &str = "xvs_1_1";

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION}")?;
        self.instructions.iter().try_for_each(|instruction| writeln!(f, "    {instruction}"))
    }
}

/// One line of text, without indentation.
impl Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mac != Mac::Nop || self.ilu == Ilu::Nop {
            let mut line = Operands::new(f, self.mac.name())?;
            match self.mac {
                Mac::Nop => {}
                Mac::Arl => line.operand(&"A0.x")?,
                _ => self.destinations(&mut line, Unit::Mac, self.mac_temp)?,
            }
            for slot in self.mac.sources() {
                self.operand(&mut line, *slot, self.mac == Mac::Arl)?;
            }
        }
        if self.ilu == Ilu::Nop {
            return Ok(());
        }
        match self.mac {
            // Only `mov` is an opcode of both units.
            Mac::Nop if self.ilu == Ilu::Mov => f.write_str("+ ")?,
            Mac::Nop => {}
            _ => f.write_str(" + ")?,
        }
        let mut line = Operands::new(f, self.ilu.name())?;
        self.destinations(&mut line, Unit::Ilu, self.ilu_temp)?;
        self.operand(&mut line, Slot::C, self.ilu.is_scalar())
    }
}

impl Instruction {
    fn destinations(&self, line: &mut Operands<'_, '_>, unit: Unit, temp: Option<(u8, Mask)>) -> fmt::Result {
        let write = self.write.filter(|write| write.unit == unit);
        if temp.is_none() && write.is_none() {
            return line.operand(&"_");
        }
        if let Some((temp, mask)) = temp {
            line.operand(&format_args!("R{temp}{}", MaskText(mask)))?;
        }
        match write {
            Some(write) => match write.target {
                Target::Output(Output::Address) => line.operand(&format_args!("A0{}", MaskText(write.mask))),
                Target::Output(output) => line.operand(&format_args!("{}{}", output.name(), MaskText(write.mask))),
                Target::Constant(slot) => line.operand(&format_args!("c[{slot}]{}", MaskText(write.mask))),
            },
            None => Ok(()),
        }
    }

    /// A source; of a scalar opcode only the component that is read.
    fn operand(&self, line: &mut Operands<'_, '_>, slot: Slot, scalar: bool) -> fmt::Result {
        let Some(source) = self.source(slot) else { return Ok(()) };
        let swizzle = if scalar { [source.swizzle[0]; 4] } else { source.swizzle };
        line.operand(&SourceText(&Source { swizzle, ..*source }, self.relative))
    }
}

/// An opcode and its operands, with commas between them.
struct Operands<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    separator: &'static str,
}

impl<'a, 'b> Operands<'a, 'b> {
    fn new(f: &'a mut fmt::Formatter<'b>, opcode: &str) -> Result<Self, fmt::Error> {
        f.write_str(opcode)?;
        Ok(Self { f, separator: " " })
    }

    fn operand(&mut self, operand: &dyn Display) -> fmt::Result {
        self.f.write_str(std::mem::replace(&mut self.separator, ", "))?;
        operand.fmt(self.f)
    }
}

/// Component names, in the order of masks and swizzles.
pub(crate) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A write mask with its point; nothing if it is all.
struct MaskText(Mask);

impl Display for MaskText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Mask::XYZW => Ok(()),
            mask => write!(f, ".{mask}"),
        }
    }
}

/// A source, and whether its instruction addresses constants relative to `A0.x`.
struct SourceText<'a>(&'a Source, bool);

impl Display for SourceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(source, relative) = self;
        if source.negate {
            f.write_char('-')?;
        }
        match source.register {
            Register::Temp(number) => write!(f, "R{number}")?,
            Register::Input(number) => write!(f, "v{number}")?,
            Register::Constant(0) if *relative => f.write_str("c[A0.x]")?,
            Register::Constant(number) if *relative => write!(f, "c[A0.x + {number}]")?,
            Register::Constant(number) => write!(f, "c[{number}]")?,
        }
        let [x, y, z, w] = source.swizzle.map(|lane| COMPONENTS[usize::from(lane & 3)]);
        match source.swizzle {
            [0, 1, 2, 3] => Ok(()),
            [a, b, c, d] if a == b && b == c && c == d => write!(f, ".{x}"),
            _ => write!(f, ".{x}{y}{z}{w}"),
        }
    }
}
