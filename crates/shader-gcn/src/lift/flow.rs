//! Basic blocks of a program, the fetch shader that it calls being part of it.

use super::structure::Exit;
use super::{LiftError, Reason};
use crate::inst::Inst;
use crate::io::Source;
use crate::parse::Program;
use crate::tables::{Condition, Kind, Op};

/// Most calls of the fetch shader, each of which gets its own copy.
const MAX_CALLS: usize = 8;
/// Most blocks.
const MAX_BLOCKS: usize = 1 << 14;

/// Instructions that are run one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// The first.
    pub first: usize,
    /// The one behind the last.
    pub end: usize,
    /// Where it goes on.
    pub exit: Exit,
}

/// A program as blocks.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Instructions; those of the fetch shader come last, and their addresses go on behind those of the code.
    pub insts: Vec<Inst>,
    /// Blocks in the order of their instructions, so that the program begins with the first.
    pub blocks: Vec<Block>,
    /// Whether it calls a fetch shader, which may not be known yet.
    pub calls: bool,
}

impl Flow {
    /// Reads the code of a source.
    pub(crate) fn of(source: &Source) -> Result<Flow, LiftError> {
        let code = |error: crate::parse::ParseError| LiftError { at: 0, text: "code".into(), reason: error.into() };
        let program = Program::parse(&source.code, source.stage).map_err(code)?;
        let fetch = match source.fetch.is_empty() {
            true => None,
            false => Some(Program::parse(&source.fetch, source.stage).map_err(code)?),
        };
        Flow::new(&program, fetch.as_ref())
    }

    /// Blocks of a program with its fetch shader; without one, calls do nothing.
    pub(crate) fn new(program: &Program, fetch: Option<&Program>) -> Result<Flow, LiftError> {
        let code = program.insts();
        let code_words = program.words().len() as u32;
        let calls: Vec<usize> = (0..code.len()).filter(|&n| code[n].kind() == Kind::Call).collect();
        let mut insts = code.to_vec();
        // Where each call goes, and where each return of its copy goes.
        let mut called: Vec<(usize, usize, usize)> = Vec::new();
        if let Some(fetch) = fetch {
            if let Some(&call) = calls.get(MAX_CALLS) {
                let reason = Reason::TooMany { what: "calls of the fetch shader", most: MAX_CALLS };
                return Err(reason.at(&code[call]));
            }
            if let Some(inst) = fetch.insts().iter().find(|inst| inst.op == Op::SGetpcB64) {
                // Its address is not that of the program.
                return Err(Reason::Unsupported("an address relative to the fetch shader").at(inst));
            }
            for &call in &calls {
                let first = insts.len();
                insts.extend(fetch.insts().iter().map(|inst| Inst { at: inst.at + code_words, ..*inst }));
                called.push((call, first, insts.len()));
            }
        }

        // Numbers of the instructions that blocks begin with.
        let mut begins = vec![false; insts.len() + 1];
        begins[0] = true;
        let part = |n: usize| called.iter().find(|(_, first, end)| (*first..*end).contains(&n)).copied();
        let target = |n: usize| -> Option<usize> {
            let to = u32::try_from(insts[n].target()?).ok()?;
            match (part(n), fetch) {
                (Some((_, first, _)), Some(fetch)) => fetch.at(to.checked_sub(code_words)?).map(|at| first + at),
                _ => program.at(to),
            }
        };
        for (n, inst) in insts.iter().enumerate() {
            match inst.kind() {
                Kind::Branch(Condition::Debug) => {}
                Kind::Branch(_) => {
                    let to = target(n).ok_or_else(|| Reason::Unsupported("a jump out of the code").at(inst))?;
                    begins[to] = true;
                    begins[n + 1] = true;
                }
                Kind::End | Kind::Jump => begins[n + 1] = true,
                Kind::Call if !called.is_empty() => begins[n + 1] = true,
                Kind::Fork => return Err(Reason::Unsupported("a branch by the hardware's stack of masks").at(inst)),
                _ => {}
            }
        }
        called.iter().for_each(|&(_, first, _)| begins[first] = true);

        let mut number = vec![0; insts.len() + 1];
        let starts: Vec<usize> = (0..insts.len()).filter(|&n| begins[n]).collect();
        if starts.len() > MAX_BLOCKS {
            let reason = Reason::TooMany { what: "blocks of code", most: MAX_BLOCKS };
            return Err(reason.at(&insts[starts[MAX_BLOCKS]]));
        }
        starts.iter().enumerate().for_each(|(block, &n)| number[n] = block as u32);
        let mut blocks = Vec::with_capacity(starts.len());
        for (block, &first) in starts.iter().enumerate() {
            let end = starts.get(block + 1).copied().unwrap_or(insts.len());
            let last = end - 1;
            let inst = &insts[last];
            let exit = match inst.kind() {
                Kind::End => Exit::Return,
                Kind::Branch(Condition::Debug) => Exit::Goto(number[end]),
                Kind::Branch(condition) => {
                    let to = number[target(last).unwrap_or(0)];
                    if condition == Condition::Always { Exit::Goto(to) } else { Exit::Branch(to, number[end]) }
                }
                Kind::Jump => match part(last) {
                    Some((call, ..)) if inst.op == Op::SSetpcB64 => Exit::Goto(number[call + 1]),
                    _ => return Err(Reason::Unsupported("a jump to an address in registers").at(inst)),
                },
                Kind::Call if !called.is_empty() => {
                    let first = called.iter().find(|(call, ..)| *call == last).map_or(end, |(_, first, _)| *first);
                    Exit::Goto(number[first])
                }
                _ => Exit::Goto(number[end]),
            };
            blocks.push(Block { first, end, exit });
        }
        Ok(Flow { insts, blocks, calls: !calls.is_empty() })
    }

    /// Where each block goes on.
    pub(crate) fn exits(&self) -> Vec<Exit> {
        self.blocks.iter().map(|block| block.exit).collect()
    }

    /// Blocks that go on to each block.
    pub(crate) fn before(&self) -> Vec<Vec<u32>> {
        let mut before = vec![Vec::new(); self.blocks.len()];
        for (from, block) in self.blocks.iter().enumerate() {
            for to in block.exit.targets() {
                before[to as usize].push(from as u32);
            }
        }
        before
    }

    /// The condition on which a block goes on to the first of two others.
    pub(crate) fn condition(&self, block: u32) -> Option<Condition> {
        let block = self.blocks[block as usize];
        match (block.exit, self.insts[block.end - 1].kind()) {
            (Exit::Branch(..), Kind::Branch(condition)) => Some(condition),
            _ => None,
        }
    }
}
