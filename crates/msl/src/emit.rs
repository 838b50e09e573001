//! Regions to statements.

use std::fmt::Write as _;

use afterimage_ir::{Args, Imm, InstData, Kind, Module, Op, Region, Stage, Type, Uses, Value, uses};
use smallvec::SmallVec;

use crate::atomics::Texels;
use crate::expr::{Expr, Prec, put_name, type_name};
use crate::helpers::Helpers;
use crate::interface::{self, Interface};
use crate::names::is_identifier;
use crate::words::Words;
use crate::{Artifact, EmitError, Options};

pub(crate) fn emit(m: &Module, options: &Options) -> Result<Artifact, EmitError> {
    if m.stage == Stage::Geometry {
        return Err(EmitError::Stage(m.stage.name()));
    }
    if !is_identifier(&options.entry) {
        return Err(EmitError::Entry(options.entry.clone()));
    }
    let uses = uses(m);
    let interface = interface::declare(m, &uses, options)?;
    let mut e = Emitter {
        m,
        uses: &uses,
        interface,
        body: String::with_capacity(uses.instructions * 32),
        indent: 1,
        places: vec![0; m.values.len()],
        slots: vec![Slot::Named],
        counts: vec![0; m.values.len()],
        used_in: vec![m.body; m.values.len()],
        region: m.body,
        spare: Vec::new(),
        vars: Vec::new(),
        loops: SmallVec::new(),
        helpers: Helpers::default(),
        words: Words::default(),
        texels: Texels::default(),
        fence: false,
        language: options.language,
    };
    e.count(m.body);
    e.declare_shared();
    e.declare_vars();
    e.region(m.body, None)?;

    let Written { body, interface, helpers, words, texels, fence } = e.finish();
    let mut source = String::with_capacity(body.len() + 1024);
    if !m.name.is_empty() {
        source.push_str("// ");
        interface::comment(&mut source, &m.name);
        source.push('\n');
    }
    source.push_str(HEAD);
    helpers.write(&mut source);
    words.write(&mut source);
    texels.write(&mut source);
    if fence {
        source.push_str(crate::helpers::FENCE);
    }
    interface.write(&mut source, m, &uses.reflection, options);
    source.push_str("{\n");
    if interface.returns() {
        let _ = writeln!(source, "    {}_out out = {{}};", options.entry);
    }
    source.push_str(&body);
    source.push_str("}\n");
    Ok(Artifact { source, bindings: interface.bindings, reflection: uses.reflection })
}

/// Metal contracts `a * b + c` whatever `MTLCompileOptions` says; only the pragma stops it. The mode is an option before 3.2.
const HEAD: &str = "#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
";

/// An expression longer than this gets a name, for whoever reads it.
const LONG: usize = 100;

/// What stands for a value.
#[derive(Clone)]
pub(crate) enum Slot {
    /// A variable of its own, `v` and its number.
    Named,
    /// The variable of another value.
    Alias(Value),
    /// An expression that will be written where the value is used.
    Expr(Expr),
}

/// A loop around the place that is being written.
struct Loop<'a> {
    body: Region,
    results: &'a Args,
}

/// The body of a function, and what it needs.
struct Written {
    body: String,
    interface: Interface,
    helpers: Helpers,
    words: Words,
    texels: Texels,
    fence: bool,
}

/// Writes one module.
pub(crate) struct Emitter<'a> {
    pub(crate) m: &'a Module,
    pub(crate) uses: &'a Uses,
    pub(crate) interface: Interface,
    body: String,
    indent: usize,
    /// Number of each value's slot. Most values that passes leave in the table are not in the code, and slots are large.
    places: Vec<u32>,
    /// The first stands for all values that are named.
    slots: Vec<Slot>,
    /// How often each value is used.
    counts: Vec<u32>,
    /// The region of a value's last use.
    used_in: Vec<Region>,
    /// Texts that are not in use.
    spare: Vec<String>,
    /// The region that is being written.
    region: Region,
    /// Names of the variables.
    pub(crate) vars: Vec<String>,
    loops: SmallVec<[Loop<'a>; 4]>,
    pub(crate) helpers: Helpers,
    pub(crate) words: Words,
    pub(crate) texels: Texels,
    /// Whether the fence of `waves` is called.
    pub(crate) fence: bool,
    language: u32,
}

impl<'a> Emitter<'a> {
    /// What a version of the language has.
    pub(crate) fn needs(&self, data: &InstData, since: u32) -> Result<(), EmitError> {
        let (what, is) = (data.op.name(), self.language);
        if is < since { Err(EmitError::Language { what, since, is }) } else { Ok(()) }
    }

    fn count(&mut self, region: Region) {
        let m = self.m;
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            for arg in &data.args {
                self.counts[arg.index()] += 1;
                self.used_in[arg.index()] = region;
            }
            match data.imm {
                Imm::If(yes, no) => {
                    self.count(yes);
                    self.count(no);
                }
                Imm::Loop(body) => self.count(body),
                _ => {}
            }
        }
    }

    /// What was written, and what it needs.
    fn finish(self) -> Written {
        let Emitter { body, interface, helpers, words, texels, fence, .. } = self;
        Written { body, interface, helpers, words, texels, fence }
    }

    fn declare_shared(&mut self) {
        if !self.interface.shared.is_empty() {
            self.indent();
            let _ = writeln!(self.body, "threadgroup uint {}[{}];", self.interface.shared, self.m.shared / 4);
        }
    }

    fn declare_vars(&mut self) {
        for (i, d) in self.m.vars.iter().enumerate() {
            let mut name = String::new();
            if self.uses.vars[i] {
                name = self.interface.names.pick(&d.name, "r");
                let ty = type_name(d.ty);
                match d.array {
                    Some(len) => self.line(format_args!("{ty} {name}[{len}] = {{}};")),
                    None => self.line(format_args!("{ty} {name} = {{}};")),
                }
            }
            self.vars.push(name);
        }
    }

    // Statements.

    /// Writes a line.
    pub(crate) fn line(&mut self, text: std::fmt::Arguments<'_>) {
        self.indent();
        let _ = writeln!(self.body, "{text}");
    }

    fn indent(&mut self) {
        for _ in 0..self.indent {
            self.body.push_str("    ");
        }
    }

    /// Writes an assignment.
    pub(crate) fn set_to(&mut self, place: &str, text: &str) {
        self.indent();
        for part in [place, " = ", text, ";\n"] {
            self.body.push_str(part);
        }
    }

    fn open(&mut self, text: std::fmt::Arguments<'_>) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(format_args!("{text}"));
    }

    /// Gives the value a variable.
    pub(crate) fn define(&mut self, value: Value, text: &str) {
        self.define_parts(value, &[text]);
    }

    /// Gives the value of an expression a variable.
    fn define_expr(&mut self, value: Value, expr: &Expr) {
        if expr.splat {
            let ty = type_name(self.m.ty(value));
            self.define_parts(value, &[ty, "(", &expr.text, ")"]);
        } else {
            self.define_parts(value, &[&expr.text]);
        }
    }

    fn define_parts(&mut self, value: Value, parts: &[&str]) {
        self.indent();
        self.body.push_str(type_name(self.m.ty(value)));
        self.body.push(' ');
        put_name(&mut self.body, value);
        self.body.push_str(" = ");
        parts.iter().for_each(|part| self.body.push_str(part));
        self.body.push_str(";\n");
        self.places[value.index()] = 0;
    }

    /// An empty text. Allocations are the greater part of the writer's time, so texts are used again.
    pub(crate) fn fresh(&mut self) -> String {
        self.spare.pop().unwrap_or_else(|| String::with_capacity(LONG))
    }

    /// Takes a text that has been written.
    pub(crate) fn recycle(&mut self, mut text: String) {
        text.clear();
        self.spare.push(text);
    }

    fn keep(&mut self, value: Value, slot: Slot) {
        self.places[value.index()] = self.slots.len() as u32;
        self.slots.push(slot);
    }

    /// Keeps the expression of a value until it is used, or gives it a variable if that is better.
    pub(crate) fn set(&mut self, value: Value, expr: Expr) {
        let count = self.counts[value.index()];
        // An expression must not move into a loop, where it would be computed again and again, and need not move elsewhere.
        let once = count == 1 && self.used_in[value.index()] == self.region && expr.text.len() <= LONG;
        if count > 0 && !once && !expr.free {
            self.define_expr(value, &expr);
            self.recycle(expr.text);
        } else {
            self.keep(value, Slot::Expr(expr));
        }
    }

    /// Gives a value that stands for an expression a variable, unless the expression may be written again and again.
    pub(crate) fn name(&mut self, value: Value) {
        if matches!(self.slot(value), (_, Slot::Expr(expr)) if !expr.free) {
            let mut text = self.fresh();
            self.put(&mut text, value, Prec::Any);
            self.define(value, &text);
            self.recycle(text);
        }
    }

    /// Whether the value is used at all.
    pub(crate) fn is_used(&self, value: Value) -> bool {
        self.counts[value.index()] > 0
    }

    // Operands.

    /// What stands for a value, seen through aliases.
    pub(crate) fn slot(&self, mut value: Value) -> (Value, &Slot) {
        loop {
            match &self.slots[self.places[value.index()] as usize] {
                Slot::Alias(other) => value = *other,
                slot => return (value, slot),
            }
        }
    }

    /// The expression of a value that has all components the same.
    pub(crate) fn splat(&self, value: Value) -> Option<&Expr> {
        match self.slot(value).1 {
            Slot::Expr(expr) if expr.splat => Some(expr),
            _ => None,
        }
    }

    /// Writes a value in its own type, in parentheses if it binds less than `least`.
    pub(crate) fn put(&self, out: &mut String, value: Value, least: Prec) {
        match self.slot(value) {
            (value, Slot::Expr(expr)) if expr.splat => {
                for part in [type_name(self.m.ty(value)), "(", &expr.text, ")"] {
                    out.push_str(part);
                }
            }
            (_, Slot::Expr(expr)) => put_text(out, &expr.text, expr.prec, least),
            (value, _) => put_name(out, value),
        }
    }

    /// Writes a value where a scalar does for a vector whose components are all the same.
    pub(crate) fn put_loose(&self, out: &mut String, value: Value, least: Prec) {
        match self.splat(value) {
            Some(expr) => put_text(out, &expr.text, expr.prec, least),
            None => self.put(out, value, least),
        }
    }

    /// The text of an operand.
    fn text(&self, value: Value, least: Prec) -> String {
        let mut out = String::new();
        self.put(&mut out, value, least);
        out
    }

    // Control flow.

    /// Writes a region; `yield` sets `results`.
    fn region(&mut self, region: Region, results: Option<&Args>) -> Result<(), EmitError> {
        let m = self.m;
        let outer = std::mem::replace(&mut self.region, region);
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => self.if_(data, yes, no)?,
                (Op::Loop, Imm::Loop(body)) => self.loop_(data, body)?,
                (Op::Yield, _) => self.assign(results.ok_or(EmitError::Malformed("yield"))?, &data.args),
                (Op::Break, _) => {
                    let frame = self.loops.last().ok_or(EmitError::Malformed("break"))?;
                    self.assign(frame.results, &data.args);
                    self.line(format_args!("break;"));
                }
                (Op::Continue, _) => {
                    let body = self.loops.last().ok_or(EmitError::Malformed("continue"))?.body;
                    self.assign(&m.region(body).params, &data.args);
                    if region != body {
                        self.line(format_args!("continue;"));
                    }
                }
                (Op::Return, _) => self.return_(region),
                // At the very end, so that compilers do not complain.
                (Op::Unreachable, _) if region == m.body => self.return_(region),
                (Op::Unreachable, _) => {}
                (Op::Demote, _) => {
                    // Metal's fragment goes on as a helper, as ours does.
                    let condition = self.text(data.args[0], Prec::Any);
                    self.line(format_args!("if ({condition}) discard_fragment();"));
                }
                _ => self.inst(data)?,
            }
        }
        self.region = outer;
        Ok(())
    }

    fn return_(&mut self, region: Region) {
        if self.interface.returns() {
            self.line(format_args!("return out;"));
        } else if region != self.m.body {
            self.line(format_args!("return;"));
        }
    }

    /// The operands of `yield` if the region does nothing else.
    fn only_yields(&self, region: Region) -> Option<&'a Args> {
        match self.m.region(region).insts[..] {
            [only] if self.m.inst(only).op == Op::Yield => Some(&self.m.inst(only).args),
            _ => None,
        }
    }

    fn if_(&mut self, data: &'a InstData, yes: Region, no: Region) -> Result<(), EmitError> {
        let condition = data.args[0];
        // A side that only gives values is written as the values that the results have before.
        let (turned, first, before) = match (self.only_yields(yes), self.only_yields(no)) {
            (_, Some(args)) => (false, yes, Some(args)),
            (Some(args), None) => (true, no, Some(args)),
            (None, None) => (false, yes, None),
        };
        let condition =
            if turned { format!("!{}", self.text(condition, Prec::Unary)) } else { self.text(condition, Prec::Any) };
        for (i, &result) in data.results.iter().enumerate() {
            match before {
                _ if !self.is_used(result) => {}
                Some(args) => {
                    let text = self.text(args[i], Prec::Any);
                    self.define(result, &text);
                }
                None => self.line(format_args!("{} {result};", type_name(self.m.ty(result)))),
            }
        }
        self.open(format_args!("if ({condition}) {{"));
        self.region(first, Some(&data.results))?;
        if before.is_none() {
            self.close("} else {");
            self.indent += 1;
            self.region(no, Some(&data.results))?;
        }
        self.close("}");
        Ok(())
    }

    fn loop_(&mut self, data: &'a InstData, body: Region) -> Result<(), EmitError> {
        let m = self.m;
        let params = &m.region(body).params;
        for (&param, &start) in params.iter().zip(&data.args) {
            if self.is_used(param) {
                let text = self.text(start, Prec::Any);
                self.define(param, &text);
            }
        }
        let mut breaks: SmallVec<[&Args; 4]> = SmallVec::new();
        self.breaks(body, &mut breaks);
        for (i, &result) in data.results.iter().enumerate() {
            // A parameter keeps its last value behind the loop.
            let same =
                params.iter().find(|&&param| breaks.iter().all(|args| args[i] == param)).filter(|_| !breaks.is_empty());
            match same {
                Some(&param) => self.keep(result, Slot::Alias(param)),
                None if self.is_used(result) => self.line(format_args!("{} {result};", type_name(m.ty(result)))),
                None => {}
            }
        }
        self.open(format_args!("while (true) {{"));
        self.loops.push(Loop { body, results: &data.results });
        self.region(body, None)?;
        self.loops.pop();
        self.close("}");
        Ok(())
    }

    /// Operands of every `break` out of the loop whose body `region` is part of.
    fn breaks(&self, region: Region, found: &mut SmallVec<[&'a Args; 4]>) {
        let m = self.m;
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match data.imm {
                Imm::If(yes, no) => {
                    self.breaks(yes, found);
                    self.breaks(no, found);
                }
                _ if data.op == Op::Break => found.push(&data.args),
                _ => {}
            }
        }
    }

    /// Sets the variables of `to` to `from`, all at once.
    fn assign(&mut self, to: &Args, from: &Args) {
        let mut moves: SmallVec<[(Value, String); 4]> = SmallVec::new();
        for (&to, &from) in to.iter().zip(from) {
            let stays = self.slot(to).0 == self.slot(from).0;
            // A result that is another name for a parameter has its value.
            if self.is_used(to) && !stays && self.slot(to).0 == to {
                moves.push((to, self.text(from, Prec::Any)));
            }
        }
        for i in 1..moves.len() {
            if moves[..i].iter().any(|(to, _)| mentions(&moves[i].1, *to)) {
                let (to, text) = moves[i].clone();
                moves[i].1 = format!("next_{to}");
                self.line(format_args!("{} next_{to} = {text};", type_name(self.m.ty(to))));
            }
        }
        for (to, text) in &moves {
            self.line(format_args!("{to} = {text};"));
        }
    }
}

/// Whether the text has the name of the value in it.
fn mentions(text: &str, value: Value) -> bool {
    let name = value.to_string();
    text.match_indices(&name).any(|(at, _)| {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !text[at + name.len()..].starts_with(part) && !text[..at].ends_with(part)
    })
}

/// Writes text, in parentheses if it binds less than `least`.
pub(crate) fn put_text(out: &mut String, text: &str, prec: Prec, least: Prec) {
    if prec < least {
        out.push('(');
        out.push_str(text);
        out.push(')');
    } else {
        out.push_str(text);
    }
}

/// The type of one component.
pub(crate) fn component(ty: Type) -> Type {
    ty.with_lanes(1)
}

/// Whether values of the kinds are written in the same type.
pub(crate) fn same_type(a: Kind, b: Kind) -> bool {
    let integer = |kind| if kind == Kind::Bits { Kind::Int } else { kind };
    integer(a) == integer(b)
}
