//! Basic blocks of a program, the fetch shader that it calls being part of it.

use super::structure::Exit;
use super::{LiftError, Reason};
use crate::inst::{Fields, Inst, Modifiers, Operand};
use crate::io::Source;
use crate::parse::{Program, far_target};
use crate::tables::{Condition, Encoding, Kind, Op};

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
    /// Whether it goes on to the first of two others where vector instructions are skipped (`s_setvskip`): to what comes behind them.
    pub skips: bool,
    /// Whether it goes on to the first of two others where a lane's bit of a mask is not set (`s_cbranch_g_fork`, `s_cbranch_i_fork`). The
    /// hardware keeps what is left to do on a stack, and `s_cbranch_join` goes on with that; lanes that part meet there by themselves.
    pub forks: bool,
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
        let skipping = Skipping::new(program);
        if let (Some(_), Some(skip)) = (fetch, skipping.first) {
            return Err(Reason::Unsupported("the skipping of vector instructions of a fetch shader").at(&code[skip]));
        }
        let mut insts = skipping.insts;
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
                _ => program.at(to).map(|at| skipping.places[at]),
            }
        };
        // Jumps to where the code itself says.
        let far = |n: usize| -> Option<usize> {
            let before = &insts[..n];
            let follows = |pair: &[Inst]| pair[0].next() == pair[1].at && !pair[0].ends_block();
            let first = insts[..=n].windows(2).rposition(|pair| !follows(pair)).map_or(0, |at| at + 1);
            let to = u32::try_from(far_target(&before[first..], &insts[n])?).ok()?;
            part(n).is_none().then(|| program.at(to).map(|at| skipping.places[at])).flatten()
        };
        for (n, inst) in insts.iter().enumerate() {
            match inst.kind() {
                Kind::Branch(Condition::Debug) => {}
                Kind::Branch(_) => {
                    let to = target(n).ok_or_else(|| Reason::Unsupported("a jump out of the code").at(inst))?;
                    begins[to] = true;
                    begins[n + 1] = true;
                }
                Kind::End | Kind::Jump => {
                    begins[n + 1] = true;
                    far(n).into_iter().for_each(|to| begins[to] = true);
                }
                Kind::Call if !called.is_empty() => begins[n + 1] = true,
                Kind::Fork if inst.op == Op::SCbranchJoin => {}
                Kind::Fork => {
                    let reason =
                        Reason::Unsupported("a branch by the hardware's stack of masks to an address in registers");
                    let to = target(n).or_else(|| far(n)).ok_or_else(|| reason.at(inst))?;
                    begins[to] = true;
                    begins[n + 1] = true;
                }
                _ => {}
            }
        }
        called.iter().for_each(|&(_, first, _)| begins[first] = true);
        // In front of vector instructions that may be skipped comes a block of its own.
        for &[nothing, end] in &skipping.runs {
            [nothing, nothing + 1, end].into_iter().for_each(|at| begins[at] = true);
        }

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
            let run = skipping.runs.binary_search_by_key(&last, |run| run[0]).ok().map(|at| skipping.runs[at]);
            let exit = match inst.kind() {
                _ if let Some([_, behind]) = run => Exit::Branch(number[behind], number[end]),
                Kind::End => Exit::Return,
                Kind::Branch(Condition::Debug) => Exit::Goto(number[end]),
                Kind::Branch(condition) => {
                    let to = number[target(last).unwrap_or(0)];
                    if condition == Condition::Always { Exit::Goto(to) } else { Exit::Branch(to, number[end]) }
                }
                Kind::Fork if inst.op != Op::SCbranchJoin => {
                    let to = target(last).or_else(|| far(last)).unwrap_or(0);
                    Exit::Branch(number[to], number[end])
                }
                Kind::Jump => match part(last) {
                    Some((call, ..)) if inst.op == Op::SSetpcB64 => Exit::Goto(number[call + 1]),
                    _ if let Some(to) = far(last) => Exit::Goto(number[to]),
                    _ => return Err(Reason::Unsupported("a jump to an address in registers").at(inst)),
                },
                Kind::Call if !called.is_empty() => {
                    let first = called.iter().find(|(call, ..)| *call == last).map_or(end, |(_, first, _)| *first);
                    Exit::Goto(number[first])
                }
                _ => Exit::Goto(number[end]),
            };
            let forks = inst.kind() == Kind::Fork && inst.op != Op::SCbranchJoin;
            blocks.push(Block { first, end, exit, skips: run.is_some(), forks });
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

/// The instructions of a program in which vector instructions may be skipped: in front of each run of them stands one that does nothing.
struct Skipping {
    insts: Vec<Inst>,
    /// Where each instruction of the program is, or what stands in front of it.
    places: Vec<usize>,
    /// Runs of vector instructions: what stands in front of one, and what comes behind it.
    runs: Vec<[usize; 2]>,
    /// The first instruction that makes them be skipped.
    first: Option<usize>,
}

impl Skipping {
    fn new(program: &Program) -> Skipping {
        let code = program.insts();
        let first = code.iter().position(|inst| inst.op == Op::SSetvskip);
        if first.is_none() {
            return Skipping { insts: code.to_vec(), places: (0..code.len()).collect(), runs: Vec::new(), first };
        }
        let mut begins = vec![false; code.len()];
        for inst in code {
            let to = inst.target().and_then(|to| program.at(u32::try_from(to).ok()?));
            to.into_iter().for_each(|to| begins[to] = true);
        }
        let mut skipping = Skipping { insts: Vec::new(), places: Vec::new(), runs: Vec::new(), first };
        let mut open: Option<usize> = None;
        for (inst, begins) in code.iter().zip(begins) {
            let place = skipping.insts.len();
            skipping.places.push(place);
            if let Some(nothing) = open
                && (begins || !inst.is_vector())
            {
                skipping.runs.push([nothing, place]);
                open = None;
            }
            if inst.is_vector() && open.is_none() {
                skipping.insts.push(nothing_at(inst.at));
                open = Some(place);
            }
            skipping.insts.push(*inst);
        }
        // Code ends with a scalar instruction.
        skipping.runs.extend(open.map(|nothing| [nothing, skipping.insts.len()]));
        skipping
    }
}

/// An instruction that does nothing.
fn nothing_at(at: u32) -> Inst {
    Inst {
        at,
        words: 1,
        op: Op::SNop,
        enc: Encoding::Sopp,
        dst: Operand::None,
        sdst: Operand::None,
        src: [Operand::None; 4],
        mods: Modifiers::default(),
        simm: 0,
        fields: Fields::None,
    }
}
