//! Pairs of scalar registers as masks.
//!
//! A pair may be wanted as two words, as a mask of which each lane has its own bit, or as both, and what writes it gives what is
//! wanted behind it: a comparison's mask becomes words by a ballot if somebody reads words of it, and a word that is read as a
//! mask gives its bit of this lane. Who reads what is found once, backwards ([`Live`]); so nothing has to be converted where ways
//! join, ballots are taken where the guest has its mask and not where it is read, and code that nobody reads is not translated.
//!
//! Forwards goes what is known of masks: where exec is true, so that vector writes need no selection. A pair may be known to be
//! true (`set`), or to be true wherever exec is not (`covers`), as what compilers keep for the end of an `if` is: `exec | pair`
//! is then true.

use std::collections::BTreeSet;

use super::flow::Flow;
use super::structure::Exit;
use crate::inst::{EXEC, Inst, M0, Operand, SGPRS, VCC};
use crate::resources::Use;
use crate::tables::{Condition, Encoding, Kind, Op, Ty, flag};

/// The bit of the pair that a scalar code is in, in sets of pairs.
fn pair_bit(code: u8) -> u64 {
    1 << ((code >> 1) & 63)
}

/// What is read of registers later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Live {
    /// Words, by scalar code.
    words: u128,
    /// Masks, by half the scalar code.
    masks: u64,
    /// scc.
    pub scc: bool,
}

impl Live {
    /// Whether the word of a scalar code is read.
    pub(crate) fn word(&self, code: u8) -> bool {
        self.words >> (code & 127) & 1 != 0
    }

    /// Whether the pair of a scalar code is read as a mask. exec always is.
    pub(crate) fn mask(&self, code: u8) -> bool {
        code & !1 == EXEC || self.masks & pair_bit(code) != 0
    }

    fn read_word(&mut self, code: u8) {
        self.words |= 1 << (code & 127);
    }

    fn read_mask(&mut self, code: u8) {
        self.masks |= pair_bit(code);
    }

    fn join(&mut self, other: &Live) -> bool {
        let before = *self;
        self.words |= other.words;
        self.masks |= other.masks;
        self.scc |= other.scc;
        *self != before
    }
}

/// What is known of masks at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    /// exec is true.
    exec: bool,
    /// Pairs whose mask is true, by half the scalar code.
    set: u64,
    /// Pairs of which it or exec is true.
    covers: u64,
    /// Pairs that may have been written as a mask.
    masky: u64,
}

const ALL: u64 = u64::MAX;

impl Facts {
    const START: Facts = Facts { exec: true, set: 0, covers: ALL, masky: 0 };
    const PARTIAL: Facts = Facts { exec: false, covers: 0, ..Facts::START };

    fn join(self, other: Facts) -> Facts {
        Facts {
            exec: self.exec && other.exec,
            set: self.set & other.set,
            covers: self.covers & other.covers,
            masky: self.masky | other.masky,
        }
    }

    fn with_exec(self, value: bool) -> Facts {
        if value { Facts { exec: true, covers: ALL, ..self } } else { Facts { set: self.set | self.covers, ..self } }
    }

    fn operand(&self, operand: Operand) -> MaskFacts {
        match operand.scalar_code() {
            Some(code) if code & !1 == EXEC => {
                MaskFacts { set: self.exec, clear: false, covers: self.exec, exec: true, masky: true }
            }
            Some(code) => {
                let bit = pair_bit(code);
                let (set, covers) = (self.set & bit != 0, self.covers & bit != 0);
                MaskFacts { set, clear: false, covers: covers || set, exec: false, masky: self.masky & bit != 0 }
            }
            None => {
                let bits = operand.constant(Ty::B64);
                let (set, clear) = (bits == Some(u64::MAX), bits == Some(0));
                MaskFacts { set, clear, covers: set || self.exec, exec: false, masky: false }
            }
        }
    }
}

/// What is known of a mask.
#[derive(Clone, Copy, Debug)]
struct MaskFacts {
    set: bool,
    clear: bool,
    /// It or exec is true.
    covers: bool,
    /// It is exec.
    exec: bool,
    masky: bool,
}

/// A logical operation on masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Logic {
    And,
    Or,
    Xor,
    Andn2,
    Orn2,
    Nand,
    Nor,
    Xnor,
}

/// What an instruction that works on masks and on words alike does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Move,
    /// If scc.
    MoveIf,
    Select,
    Not,
    /// Groups of four.
    Wqm,
    Logic(Logic),
    /// The destination becomes exec, and exec the result.
    SaveExec(Logic),
}

impl Form {
    pub(super) fn of(op: Op) -> Option<Form> {
        use Logic::*;
        Some(match op {
            Op::SMovB64 => Form::Move,
            Op::SCmovB64 => Form::MoveIf,
            Op::SCselectB64 => Form::Select,
            Op::SNotB64 => Form::Not,
            Op::SWqmB64 => Form::Wqm,
            Op::SAndB64 => Form::Logic(And),
            Op::SOrB64 => Form::Logic(Or),
            Op::SXorB64 => Form::Logic(Xor),
            Op::SAndn2B64 => Form::Logic(Andn2),
            Op::SOrn2B64 => Form::Logic(Orn2),
            Op::SNandB64 => Form::Logic(Nand),
            Op::SNorB64 => Form::Logic(Nor),
            Op::SXnorB64 => Form::Logic(Xnor),
            Op::SAndSaveexecB64 => Form::SaveExec(And),
            Op::SOrSaveexecB64 => Form::SaveExec(Or),
            Op::SXorSaveexecB64 => Form::SaveExec(Xor),
            Op::SAndn2SaveexecB64 => Form::SaveExec(Andn2),
            Op::SOrn2SaveexecB64 => Form::SaveExec(Orn2),
            Op::SNandSaveexecB64 => Form::SaveExec(Nand),
            Op::SNorSaveexecB64 => Form::SaveExec(Nor),
            Op::SXnorSaveexecB64 => Form::SaveExec(Xnor),
            _ => return None,
        })
    }
}

/// In which ways such an instruction is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct View {
    pub(super) mask: bool,
    pub(super) words: bool,
}

/// What is known of masks in a program.
#[derive(Clone)]
pub(crate) struct Masks {
    /// What is read behind each instruction.
    pub live: Vec<Live>,
    /// What is read of what the program begins with.
    pub start: Live,
    /// Whether exec is known to be true in front of each instruction.
    pub exec: Vec<bool>,
    /// Whether an operand of the instruction may be a mask.
    masky: Vec<bool>,
    /// Whether some lanes are not live from the start.
    partial: bool,
}

impl Masks {
    /// Finds out what is read where, and where exec is true, as it is when the program begins.
    pub(crate) fn new(flow: &Flow, uses: &[Use]) -> Masks {
        let count = flow.insts.len();
        let mut masks = Masks {
            live: vec![Live::default(); count],
            start: Live::default(),
            exec: vec![true; count],
            masky: vec![false; count],
            partial: false,
        };
        masks.forwards(flow, false);
        masks.backwards(flow, uses);
        masks
    }

    /// Some lanes are not live from the start.
    pub(crate) fn begin_partial(&mut self, flow: &Flow) {
        self.partial = true;
        self.forwards(flow, false);
    }

    /// Lanes stay together: a branch says nothing of a lane's own bit. `filled`: with lanes that the group does not have.
    pub(crate) fn keep_in_lockstep(&mut self, flow: &Flow, filled: bool) {
        self.partial |= filled;
        self.forwards(flow, true);
    }

    fn forwards(&mut self, flow: &Flow, lockstep: bool) {
        let mut starts: Vec<Option<Facts>> = vec![None; flow.blocks.len()];
        starts[0] = Some(if self.partial { Facts::PARTIAL } else { Facts::START });
        let mut open = BTreeSet::from([0u32]);
        while let Some(number) = open.pop_first() {
            let block = flow.blocks[number as usize];
            let Some(mut facts) = starts[number as usize] else { continue };
            for at in block.first..block.end {
                let inst = &flow.insts[at];
                self.exec[at] = facts.exec;
                self.masky[at] = inst.src.iter().any(|&src| facts.operand(src).masky);
                transfer(&mut facts, inst);
            }
            let mut go = |to: u32, facts: Facts| {
                let start = &mut starts[to as usize];
                let joined = start.map_or(facts, |start| start.join(facts));
                if *start != Some(joined) {
                    *start = Some(joined);
                    open.insert(to);
                }
            };
            let running = if lockstep { facts } else { facts.with_exec(true) };
            match (block.exit, flow.condition(number)) {
                (Exit::Branch(yes, no), Some(Condition::Execz)) => {
                    go(yes, facts.with_exec(false));
                    go(no, running);
                }
                (Exit::Branch(yes, no), Some(Condition::Execnz)) => {
                    go(yes, running);
                    go(no, facts.with_exec(false));
                }
                (exit, _) => exit.targets().into_iter().for_each(|to| go(to, facts)),
            }
        }
    }

    fn backwards(&mut self, flow: &Flow, uses: &[Use]) {
        let before = flow.before();
        let mut ends = vec![Live::default(); flow.blocks.len()];
        let mut open: BTreeSet<u32> = (0..flow.blocks.len() as u32).collect();
        while let Some(number) = open.pop_last() {
            let block = flow.blocks[number as usize];
            let mut live = ends[number as usize];
            for at in (block.first..block.end).rev() {
                self.live[at] = live;
                self.reads(&flow.insts[at], at, &uses[at], &mut live);
            }
            if number == 0 {
                self.start = live;
            }
            for &from in &before[number as usize] {
                if ends[from as usize].join(&live) {
                    open.insert(from);
                }
            }
        }
    }

    pub(super) fn view(&self, inst: &Inst, at: usize, live: &Live) -> View {
        let code = inst.dst.scalar_code().unwrap_or(0);
        let words = code & !1 != EXEC && (live.word(code) || live.word(code | 1));
        let scc = live.scc && inst.has(flag::WRITES_SCC);
        let mask = live.mask(code) || matches!(Form::of(inst.op), Some(Form::SaveExec(_)));
        let mask = mask || (scc && !words && self.masky[at]);
        View { mask, words: words || (scc && !mask) }
    }

    /// From what is read behind an instruction to what is read in front of it.
    fn reads(&self, inst: &Inst, at: usize, used: &Use, live: &mut Live) {
        let after = *live;
        if inst.has(flag::WRITES_SCC) {
            live.scc = false;
        }
        for registers in inst.writes() {
            let Some(code) = registers.first.scalar_code() else { continue };
            // One register of many is written, and it is not known which.
            if matches!(inst.op, Op::SMovreldB32 | Op::SMovreldB64) {
                continue;
            }
            for n in 0..registers.count {
                let code = code.saturating_add(n) & 127;
                live.words &= !(1 << code);
                if n % 2 == 1 && code % 2 == 1 {
                    live.masks &= !pair_bit(code);
                }
            }
        }
        if let Some(form) = Form::of(inst.op) {
            let view = self.view(inst, at, &after);
            let saves = matches!(form, Form::SaveExec(_));
            if !(view.mask || view.words || saves) {
                return;
            }
            let mut read = |operand: Operand| {
                let Some(code) = operand.scalar_code() else { return };
                if view.mask || saves {
                    live.read_mask(code);
                }
                if view.words && !saves {
                    live.read_word(code);
                    live.read_word(code | 1);
                }
            };
            inst.src.iter().for_each(|&src| read(src));
            if inst.has(flag::READS_DST) {
                read(inst.dst);
            }
            live.scc |= inst.has(flag::READS_SCC) || inst.src.contains(&Operand::Scc);
            if inst.src.contains(&Operand::Vccz) {
                live.read_mask(VCC);
            }
            return;
        }
        if !needed(inst, &after) {
            return;
        }
        if inst.has(flag::READS_SCC) || inst.src.contains(&Operand::Scc) {
            live.scc = true;
        }
        if inst.kind() == Kind::Fork {
            // The address is that of a place in the code, and the stack is none here.
            let mask = inst.src[0].scalar_code().filter(|_| inst.op != Op::SCbranchJoin);
            mask.into_iter().for_each(|code| live.read_mask(code));
            return;
        }
        if inst.src.contains(&Operand::Vccz) || matches!(inst.kind(), Kind::Branch(Condition::Vccz | Condition::Vccnz))
        {
            live.read_mask(VCC);
        }
        let m0 = matches!(inst.enc, Encoding::Ds | Encoding::Vintrp) || inst.src.contains(&Operand::LdsDirect);
        let m0 = m0 || inst.buffer().is_some_and(|buffer| buffer.lds);
        if m0 || inst.has(flag::READS_M0) {
            live.read_word(M0);
        }
        for n in 0..inst.src.len() {
            let Some(code) = inst.src[n].scalar_code() else { continue };
            // Descriptors and addresses that are known do not come out of registers.
            let described = match inst.enc {
                Encoding::Mubuf | Encoding::Mtbuf => n == 1,
                Encoding::Mimg => n == 1 || n == 2,
                Encoding::Smrd => n == 0 || matches!(used, Use::Words(_)),
                _ => inst.kind() == Kind::Call || inst.kind() == Kind::Jump,
            };
            if described && !matches!(used, Use::Registers | Use::Table(_) | Use::Tables { .. }) {
                // The low half says how far behind the pointer.
                if n == 0 && matches!(used, Use::Near(..)) {
                    live.read_word(code);
                }
                continue;
            }
            if inst.src_ty(n) == Ty::Mask {
                live.read_mask(code);
            } else {
                let relative = matches!(inst.op, Op::SMovrelsB32 | Op::SMovrelsB64);
                let count = if relative { SGPRS.saturating_sub(code) } else { inst.src_dwords(n) };
                (0..count).for_each(|n| live.read_word(code.saturating_add(n)));
            }
        }
        if inst.has(flag::READS_DST)
            && let Some(code) = inst.dst.scalar_code()
        {
            (0..inst.dst_dwords()).for_each(|n| live.read_word(code.saturating_add(n)));
        }
    }
}

/// Whether an instruction does anything that counts, `live` being what is read behind it.
pub(super) fn needed(inst: &Inst, live: &Live) -> bool {
    let computes = matches!(inst.kind(), Kind::Alu | Kind::Compare(_) | Kind::ScalarLoad { .. });
    let acts =
        matches!(inst.op, Op::SSetregB32 | Op::SSetregImm32B32 | Op::SSetvskip | Op::SMovreldB32 | Op::SMovreldB64);
    if inst.is_vector() || !computes || acts {
        return true;
    }
    let read = |code: u8| live.word(code & 127) || live.mask(code & 127);
    (inst.has(flag::WRITES_SCC) && live.scc)
        || inst.has(flag::WRITES_EXEC)
        || inst.writes().any(|registers| {
            let first = registers.first.scalar_code();
            first.is_some_and(|first| (0..registers.count).any(|n| read(first.saturating_add(n))))
        })
}

/// What is known behind an instruction.
fn transfer(facts: &mut Facts, inst: &Inst) {
    let Some(form) = Form::of(inst.op) else {
        if matches!(inst.op, Op::SMovreldB32 | Op::SMovreldB64) {
            facts.set = 0;
            facts.covers = if facts.exec { ALL } else { 0 };
        }
        for registers in inst.writes() {
            let Some(code) = registers.first.scalar_code() else { continue };
            for n in 0..registers.count {
                let code = code.saturating_add(n) & 127;
                if code & !1 == EXEC {
                    exec_becomes(
                        facts,
                        MaskFacts { set: false, clear: false, covers: facts.exec, exec: false, masky: true },
                        0,
                    );
                    continue;
                }
                let bit = pair_bit(code);
                let mask = inst.is_vector() && !inst.has(flag::SCALAR_DST);
                write(facts, bit, MaskFacts { set: false, clear: false, covers: false, exec: false, masky: mask });
            }
        }
        if inst.has(flag::WRITES_EXEC) {
            // cmpx: some of the lanes that are active.
            exec_becomes(facts, MaskFacts { set: false, clear: false, covers: false, exec: false, masky: true }, 0);
        }
        return;
    };
    let [a, b] = [0, 1].map(|n| facts.operand(inst.src[n]));
    let old = facts.operand(Operand::ExecLo);
    // Pairs of which it or the new exec is true.
    let mut against = 0;
    let complement = |of: usize| match inst.src[of].scalar_code() {
        Some(code) if code & !1 != EXEC => pair_bit(code),
        _ => 0,
    };
    let result = match form {
        Form::Move => a,
        Form::MoveIf => both(a, facts.operand(inst.dst)),
        Form::Select => both(a, b),
        Form::Not => {
            against = complement(0);
            MaskFacts { set: a.clear, clear: a.set, covers: a.exec || facts.exec, exec: false, masky: a.masky }
        }
        Form::Wqm => a,
        Form::Logic(op) => {
            // not b, which exec then is of something that is true.
            if matches!(op, Logic::Andn2 | Logic::Xor) && a.set {
                against |= complement(1);
            }
            if op == Logic::Xor && b.set {
                against |= complement(0);
            }
            let grows = op == Logic::Or && (a.exec || b.exec);
            if grows {
                against |= facts.covers;
            }
            logic(op, a, b, facts.exec)
        }
        Form::SaveExec(op) => {
            if op == Logic::Or {
                against |= facts.covers;
            }
            logic(op, a, old, facts.exec)
        }
    };
    match form {
        Form::SaveExec(op) => {
            let saved = MaskFacts { set: facts.exec, ..old };
            // exec and what was saved of it: the new exec or the old one is true where the other operand covers both.
            let saved_covers = result.set || saved.set || (op == Logic::Xor && a.set);
            if let Some(code) = inst.dst.scalar_code() {
                exec_becomes(facts, result, against);
                let bit = pair_bit(code);
                write(facts, bit, MaskFacts { covers: saved_covers || facts.exec, exec: false, ..saved });
            }
        }
        _ => match inst.dst.scalar_code() {
            Some(code) if code & !1 == EXEC => exec_becomes(facts, result, against),
            Some(code) => write(facts, pair_bit(code), result),
            None => {}
        },
    }
}

fn both(a: MaskFacts, b: MaskFacts) -> MaskFacts {
    MaskFacts {
        set: a.set && b.set,
        clear: a.clear && b.clear,
        covers: a.covers && b.covers,
        exec: a.exec && b.exec,
        masky: a.masky || b.masky,
    }
}

fn logic(op: Logic, a: MaskFacts, b: MaskFacts, exec: bool) -> MaskFacts {
    let (set, clear, covers) = match op {
        Logic::And => (a.set && b.set, a.clear || b.clear, a.covers && b.covers),
        Logic::Or => {
            (a.set || b.set || (a.exec && b.covers) || (b.exec && a.covers), a.clear && b.clear, a.covers || b.covers)
        }
        Logic::Xor => (
            (a.set && b.clear) || (a.clear && b.set),
            (a.set && b.set) || (a.clear && b.clear),
            (a.exec && b.set) || (b.exec && a.set),
        ),
        Logic::Andn2 => (a.set && b.clear, a.clear || b.set, a.covers && (b.clear || b.exec)),
        Logic::Orn2 => (a.set || b.clear, a.clear && b.set, a.covers || b.exec),
        Logic::Nand => (a.clear || b.clear, a.set && b.set, false),
        Logic::Nor => (a.clear && b.clear, a.set || b.set, false),
        Logic::Xnor => ((a.set && b.set) || (a.clear && b.clear), false, false),
    };
    MaskFacts { set, clear, covers: covers || set || exec, exec: false, masky: a.masky || b.masky }
}

fn write(facts: &mut Facts, pair: u64, known: MaskFacts) {
    let put = |bits: &mut u64, value: bool| *bits = if value { *bits | pair } else { *bits & !pair };
    put(&mut facts.set, known.set);
    put(&mut facts.covers, known.covers || known.set || facts.exec);
    put(&mut facts.masky, known.masky);
}

/// exec is written; `covers` are pairs of which it or the new exec is true.
fn exec_becomes(facts: &mut Facts, known: MaskFacts, covers: u64) {
    facts.exec = known.set;
    facts.covers = if known.set { ALL } else { facts.set | covers };
}
