//! The text form. `Display` of a [`Module`] prints what [`parse`](crate::parse()) reads.
//!
//! Values keep their numbers, so a dump before and after a pass can be compared line by line.

use std::fmt::{self, Display, Formatter, Write};

use crate::entity::{Region, Value};
use crate::geometry::GeometryDecl;
use crate::module::{Component, Imm, InputAt, InstData, Module, Named, Offset, OutputAt, Semantic};
use crate::types::{Kind, LETTERS, Swizzle, Type};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stage.name())?;
        if !self.name.is_empty() {
            write!(f, " {}", Quoted(&self.name))?;
        }
        f.write_str(" {\n")?;
        if self.group != [1; 3] {
            writeln!(f, "  group {}, {}, {}", self.group[0], self.group[1], self.group[2])?;
        }
        if self.shared != 0 {
            writeln!(f, "  shared {}", self.shared)?;
        }
        if self.guest_waves {
            f.write_str("  guest_waves\n")?;
        }
        if self.signed_outputs != 0 {
            writeln!(f, "  signed_outputs {}", self.signed_outputs)?;
        }
        if let Some(GeometryDecl { input, output, vertices, invocations }) = self.geometry {
            let (input, output) = (input.name(), output.name());
            writeln!(f, "  geometry {input} {output} vertices {vertices} invocations {invocations}")?;
        }
        for (i, d) in self.inputs.iter().enumerate() {
            write!(f, "  input in{i}{} : {} {} {}", name(&d.name), d.ty, d.at, d.interp.name())?;
            semantic(f, d.semantic)?;
        }
        for (i, d) in self.outputs.iter().enumerate() {
            write!(f, "  output out{i}{} : {} {}", name(&d.name), d.ty, d.at)?;
            semantic(f, d.semantic)?;
        }
        for c in &self.feedback {
            write!(f, "  feedback {}.", c.output)?;
            for lane in (c.component..c.component.saturating_add(c.lanes)).take(4) {
                f.write_char(LETTERS[lane as usize & 3] as char)?;
            }
            writeln!(f, " buffer {} stream {} stride {} offset {}", c.buffer, c.stream, c.stride, c.offset)?;
        }
        for (i, d) in self.banks.iter().enumerate() {
            writeln!(f, "  bank c{i}{} {} {} [{}]", name(&d.name), d.source.name(), d.id, d.size)?;
            for (index, b) in &d.defs {
                writeln!(f, "  def c{i}[{index}] = {:#010x}, {:#010x}, {:#010x}, {:#010x}", b[0], b[1], b[2], b[3])?;
            }
        }
        for (i, d) in self.textures.iter().enumerate() {
            match d.in_tables() {
                true => write!(f, "  texture t{i} tables {}", d.dim.name())?,
                false => write!(f, "  texture t{i} slot {} {}", d.slot, d.dim.name())?,
            }
            if d.component != Component::Float {
                write!(f, " {}", d.component.name())?;
            }
            f.write_str(if d.shadow { " shadow\n" } else { "\n" })?;
        }
        for (i, d) in self.images.iter().enumerate() {
            let (dim, component, format) = (d.dim.name(), d.component.name(), d.format.name());
            writeln!(f, "  image i{i} slot {} {dim} {component} {format}", d.slot)?;
        }
        for d in &self.names {
            match d.of {
                Named::Registers { bank, first, count } => {
                    write!(f, "  name c{}[{first}, {count}]", bank.index())?;
                }
                Named::Texture(texture) => write!(f, "  name t{}", texture.index())?,
            }
            writeln!(f, " {} {}", Quoted(&d.name), Quoted(&d.ty))?;
        }
        for (i, d) in self.specs.iter().enumerate() {
            write!(f, "  spec s{i}{} : {} id {} default ", name(&d.name), d.kind.name(), d.id)?;
            component(f, d.kind, d.default)?;
            f.write_char('\n')?;
        }
        for (i, d) in self.vars.iter().enumerate() {
            write!(f, "  var r{i}{} : {}", name(&d.name), d.ty)?;
            match d.array {
                Some(len) => writeln!(f, " [{len}]")?,
                None => writeln!(f)?,
            }
        }
        self.print_region(f, self.body, 1)?;
        f.write_str("}\n")
    }
}

impl Module {
    fn print_region(&self, f: &mut Formatter<'_>, region: Region, depth: usize) -> fmt::Result {
        for &inst in &self.region(region).insts {
            let data = self.inst(inst);
            write!(f, "{:1$}{2}", "", depth * 2, self.line(data))?;
            match data.imm {
                Imm::If(yes, no) => {
                    f.write_str(" {\n")?;
                    self.print_region(f, yes, depth + 1)?;
                    writeln!(f, "{:1$}}} else {{", "", depth * 2)?;
                    self.print_region(f, no, depth + 1)?;
                    writeln!(f, "{:1$}}}", "", depth * 2)?;
                }
                Imm::Loop(body) => {
                    f.write_str(" {\n")?;
                    self.print_region(f, body, depth + 1)?;
                    writeln!(f, "{:1$}}}", "", depth * 2)?;
                }
                _ => f.write_char('\n')?,
            }
        }
        Ok(())
    }

    /// The instruction as one line of the text form, without the regions inside.
    pub fn line<'a>(&'a self, data: &'a InstData) -> impl Display + 'a {
        Line { module: self, data }
    }
}

struct Line<'a> {
    module: &'a Module,
    data: &'a InstData,
}

impl Line<'_> {
    /// `v3: f32x4`, also if the module is damaged.
    fn typed(&self, f: &mut Formatter<'_>, value: Value) -> fmt::Result {
        match self.module.values.get(value.index()) {
            Some(data) => write!(f, "{value}: {}", data.ty),
            None => write!(f, "{value}: ?"),
        }
    }
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let InstData { op, imm, args, results } = self.data;
        for (i, &result) in results.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.typed(f, result)?;
        }
        f.write_str(if results.is_empty() { "" } else { " = " })?;
        f.write_str(op.name())?;
        let mut separator = " ";
        match *imm {
            Imm::None | Imm::Swizzle(_) | Imm::If(..) => {}
            Imm::Const(bits) => {
                let ty = results.first().and_then(|r| self.module.values.get(r.index())).map_or(Type::B32X4, |v| v.ty);
                for &word in bits.iter().take(ty.lanes as usize) {
                    f.write_str(separator)?;
                    component(f, ty.kind, word)?;
                    separator = ", ";
                }
            }
            Imm::Var(var) => write!(f, " {var}")?,
            Imm::VarMask(var, mask) => write!(f, " {var}.{mask}")?,
            Imm::Input(input) => write!(f, " {input}")?,
            Imm::Output(output) => write!(f, " {output}")?,
            Imm::Bank(bank, index) => write!(f, " {bank}[{index}]")?,
            Imm::Texture(texture, by) => write!(f, " {texture}{by}")?,
            Imm::Gather(texture, 0, by) => write!(f, " {texture}{by}")?,
            Imm::Gather(texture, component, by) => write!(f, " {texture}.{}{by}", Swizzle::splat(component & 3, 1))?,
            Imm::Image(image) => write!(f, " {image}")?,
            Imm::ImageAtomic(image, op) => write!(f, " {image} {}", op.name())?,
            Imm::Atomic(op) => write!(f, " {}", op.name())?,
            Imm::Spec(spec) => write!(f, " {spec}")?,
            Imm::Stream(stream) => write!(f, " {stream}")?,
            Imm::Loop(body) => {
                for (i, &arg) in args.iter().enumerate() {
                    f.write_str(if i == 0 { " (" } else { ", " })?;
                    match self.module.regions.get(body.index()).and_then(|r| r.params.get(i)) {
                        Some(&param) => self.typed(f, param)?,
                        None => f.write_str("?")?,
                    }
                    write!(f, " = {arg}")?;
                }
                return f.write_str(if args.is_empty() { "" } else { ")" });
            }
        }
        if !matches!(imm, Imm::None | Imm::Swizzle(_) | Imm::If(..)) {
            separator = ", ";
        }
        for arg in args {
            write!(f, "{separator}{arg}")?;
            separator = ", ";
        }
        match imm {
            Imm::Swizzle(swizzle) if args.len() == 1 => write!(f, ".{swizzle}"),
            Imm::Swizzle(swizzle) => write!(f, " {swizzle:?}"),
            _ => Ok(()),
        }
    }
}

/// A component of a constant so that reading it back gives the same bits.
fn component(f: &mut Formatter<'_>, kind: Kind, bits: u32) -> fmt::Result {
    match kind {
        Kind::Float if f32::from_bits(bits).is_finite() => write!(f, "{:?}", f32::from_bits(bits)),
        Kind::Int => write!(f, "{}", bits as i32),
        Kind::Bool if bits <= 1 => write!(f, "{}", bits != 0),
        _ => write!(f, "{bits:#010x}"),
    }
}

fn name(name: &str) -> impl Display + '_ {
    struct Name<'a>(&'a str);
    impl Display for Name<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            if self.0.is_empty() { Ok(()) } else { write!(f, " {}", Quoted(self.0)) }
        }
    }
    Name(name)
}

fn semantic(f: &mut Formatter<'_>, semantic: Option<Semantic>) -> fmt::Result {
    match semantic {
        Some(s) => writeln!(f, " semantic {} {}", s.usage, s.index),
        None => writeln!(f),
    }
}

/// A name in quotes; everything but printable ASCII is escaped, so that it stays on its line.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                ' '..='~' => f.write_char(c)?,
                _ => write!(f, "\\u{{{:x}}}", c as u32)?,
            }
        }
        f.write_char('"')
    }
}

impl Display for Offset {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_zero() { Ok(()) } else { write!(f, " ({}, {}, {})", self.0[0], self.0[1], self.0[2]) }
    }
}

impl Display for InputAt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            InputAt::Location(n) => write!(f, "location {n}"),
            InputAt::ClipDistance(n) => write!(f, "clip_distance {n}"),
            InputAt::CullDistance(n) => write!(f, "cull_distance {n}"),
            _ => f.write_str(self.builtin().map_or("?", |row| row.0)),
        }
    }
}

impl Display for OutputAt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            OutputAt::Location(n) => write!(f, "location {n}"),
            OutputAt::ClipDistance(n) => write!(f, "clip_distance {n}"),
            OutputAt::CullDistance(n) => write!(f, "cull_distance {n}"),
            _ => f.write_str(self.builtin().map_or("?", |row| row.0)),
        }
    }
}
