//! Programs: the instructions that can be reached from the first word, in the order of their addresses.

use crate::inst::{Inst, Operand, Registers};
use crate::io::HwStage;
use crate::tables::{Op, Ty, flag};

/// Most words of a program: 1 MiB of code.
pub const MAX_WORDS: usize = 1 << 18;

/// Why words are no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseError {
    /// There is no such instruction.
    #[error("word {at:#06x} of the program, {word:#010x}, is no gfx7 instruction")]
    Unknown {
        /// Word index.
        at: u32,
        /// The word.
        word: u32,
    },
    /// A field has a code that means nothing.
    #[error("{} at word {at:#06x} of the program has an operand of code {code}, which there is not", op.name())]
    Operand {
        /// Word index.
        at: u32,
        /// The instruction.
        op: Op,
        /// The code.
        code: u16,
    },
    /// Control or an instruction goes on behind the last word.
    #[error("the program goes on at word {at:#06x}, behind the end of its code")]
    Truncated {
        /// Index of the word that is missing.
        at: u32,
    },
    /// A branch goes in front of the first word.
    #[error("the branch at word {at:#06x} of the program goes to word {target}, in front of its entry")]
    Before {
        /// Word index of the branch.
        at: u32,
        /// Where it goes.
        target: i64,
    },
    /// Two ways through the program see the same word as parts of different instructions.
    #[error("a branch goes to word {at:#06x} of the program, in the middle of an instruction")]
    Overlap {
        /// Word index.
        at: u32,
    },
    /// It has more than [`MAX_WORDS`].
    #[error("the program goes on at word {at:#x}; at most {MAX_WORDS:#x} words are followed")]
    TooLong {
        /// Word index.
        at: u32,
    },
}

/// What is known of a word: nothing yet, ...
const UNSEEN: u32 = u32::MAX;
/// ... that it is within an instruction, else the number of the instruction that starts there.
const INSIDE: u32 = u32::MAX - 1;

/// Instructions that most programs have, so that tables grow seldom.
const USUAL: usize = 128;

/// Instructions in front of a jump that are looked through for its target.
const MOST_BEFORE: usize = 16;

/// The word that `s_setpc_b64` or `s_cbranch_g_fork` goes to where it is known: as far as compilers jump that cannot do it with a branch,
/// by `s_getpc_b64` and the addition of a constant. `before`: the instructions that are run in front of it, the last one last.
pub(crate) fn far_target(before: &[Inst], jump: &Inst) -> Option<i64> {
    let low = match jump.op {
        Op::SSetpcB64 => jump.src[0],
        Op::SCbranchGFork => jump.src[1],
        _ => return None,
    };
    let high = low.word(1)?;
    // What is added to a register: the other source, a constant.
    let added = |inst: &Inst, register: Operand| match inst.src {
        [a, b, ..] if a == register => b.constant(Ty::B32),
        [a, b, ..] if b == register => a.constant(Ty::B32),
        _ => None,
    };
    let mut sum = [None; 2];
    for inst in before.iter().rev().take(MOST_BEFORE) {
        match inst.op {
            Op::SAddcU32 if inst.dst == high && sum == [None; 2] => sum[1] = Some(added(inst, high)?),
            Op::SAddU32 if inst.dst == low && sum[0].is_none() && sum[1].is_some() => sum[0] = Some(added(inst, low)?),
            Op::SGetpcB64 if inst.dst == low => {
                let [low, high] = sum;
                let by = (high? << 32 | low?) as i64;
                return (by % 4 == 0).then_some(i64::from(inst.next()) + by / 4);
            }
            _ => {
                let own = |word: Option<Operand>| word == Some(low) || word == Some(high);
                let disturbs = |written: Registers| (0..written.count).any(|n| own(written.first.word(n)));
                if inst.writes().any(disturbs) || inst.has(flag::WRITES_SCC) && sum[1].is_some() && sum[0].is_none() {
                    return None;
                }
            }
        }
    }
    None
}

/// Decodes all that can be reached from word 0.
fn walk(read: impl Fn(usize) -> Option<u32>) -> Result<(Vec<Inst>, Vec<u32>), ParseError> {
    let mut insts: Vec<Inst> = Vec::with_capacity(USUAL);
    let mut index: Vec<u32> = Vec::with_capacity(USUAL);
    let mut starts = vec![0u32];
    while let Some(mut at) = starts.pop() {
        let run = insts.len();
        loop {
            match index.get(at as usize).copied().unwrap_or(UNSEEN) {
                UNSEEN => {}
                INSIDE => return Err(ParseError::Overlap { at }),
                _ => break,
            }
            if at as usize >= MAX_WORDS {
                return Err(ParseError::TooLong { at });
            }
            let mut words = [0; 2];
            let mut known = 0;
            while known < words.len()
                && let Some(word) = read(at as usize + known)
            {
                words[known] = word;
                known += 1;
            }
            let inst = Inst::decode(&words[..known], at)?;
            let next = inst.next();
            if index.len() < next as usize {
                index.resize(next as usize, UNSEEN);
            }
            index[at as usize] = insts.len() as u32;
            for inside in at + 1..next {
                if index[inside as usize] != UNSEEN {
                    return Err(ParseError::Overlap { at: inside });
                }
                index[inside as usize] = INSIDE;
            }
            if let Some(target) = inst.target() {
                starts.push(u32::try_from(target).map_err(|_| ParseError::Before { at, target })?);
            }
            if let Some(target) = far_target(&insts[run..], &inst) {
                starts.push(u32::try_from(target).map_err(|_| ParseError::Before { at, target })?);
            }
            let ends = inst.ends_block();
            insts.push(inst);
            if ends {
                break;
            }
            at = next;
        }
    }
    Ok((insts, index))
}

/// Length in words of the code at an address of which `read` gives the words, `None` where nothing is mapped: up to the end
/// of the last instruction that can be reached.
///
/// # Errors
/// Those of [`Program::parse`].
pub fn code_length(read: impl Fn(usize) -> Option<u32>) -> Result<usize, ParseError> {
    walk(read).map(|(_, index)| index.len())
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    stage: HwStage,
    insts: Vec<Inst>,
    /// For each word the number of the instruction that starts there, [`INSIDE`] or [`UNSEEN`].
    index: Vec<u32>,
    words: Vec<u32>,
}

impl Program {
    /// Decodes what can be reached from the first word: straight on, and along every branch. `s_endpgm` and `s_setpc_b64` end
    /// a way, but for jumps whose target can be seen; `s_swappc_b64` is a call that comes back. Words behind the last instruction are left out.
    ///
    /// # Errors
    /// When something that can be reached is no instruction or lies outside of the words.
    pub fn parse(words: &[u32], stage: HwStage) -> Result<Program, ParseError> {
        let (mut insts, mut index) = walk(|n| words.get(n).copied())?;
        if !insts.is_sorted_by_key(|inst| inst.at) {
            insts.sort_unstable_by_key(|inst| inst.at);
            for (n, inst) in insts.iter().enumerate() {
                index[inst.at as usize] = n as u32;
            }
        }
        let words = words[..index.len()].to_vec();
        Ok(Program { stage, insts, index, words })
    }

    /// The stage that it is for.
    pub fn stage(&self) -> HwStage {
        self.stage
    }

    /// Instructions that can be reached, by address.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// Number in [`Program::insts`] of the instruction that starts at a word.
    pub fn at(&self, word: u32) -> Option<usize> {
        self.index.get(word as usize).filter(|number| **number < INSIDE).map(|number| *number as usize)
    }

    /// The code, from the entry to the end of the last instruction that can be reached.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}
