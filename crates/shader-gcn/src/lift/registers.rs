//! The guest's registers as the lifter keeps them.
//!
//! Registers are IR variables: a word each, and beside it a bool for each pair of scalar registers that holds a mask somewhere (see
//! `masks`), which is this lane's bit. EXEC is such a bool and nothing else; its words, when somebody wants them, are a ballot.

use afterimage_ir::{Kind, Mask, Type, Value, Var};
use smallvec::SmallVec;

use super::Lifter;
use crate::inst::{EXEC, M0, Operand, VCC};
use crate::tables::Ty;

/// The variables of registers; each is declared when it is first used.
pub(super) struct Registers {
    words: [Option<Var>; 128],
    masks: [Option<Var>; 64],
    scc: Option<Var>,
    skips: Option<Var>,
    vgprs: Vec<Option<Var>>,
    /// All vector registers, in programs that index them.
    array: Option<Var>,
}

impl Registers {
    pub(super) fn new() -> Registers {
        Registers { words: [None; 128], masks: [None; 64], scc: None, skips: None, vgprs: vec![None; 256], array: None }
    }
}

/// Vector registers.
pub(super) const VGPRS: u32 = 256;

impl Lifter<'_> {
    fn word_var(&mut self, code: u8) -> Var {
        let at = usize::from(code & 127);
        *self.registers.words[at].get_or_insert_with(|| {
            let name = match code {
                VCC => "vcc_lo".to_owned(),
                107 => "vcc_hi".to_owned(),
                M0 => "m0".to_owned(),
                _ => format!("s{code}"),
            };
            self.b.var(name, Type::B32)
        })
    }

    fn mask_var(&mut self, code: u8) -> Var {
        let pair = usize::from(code & 127) / 2;
        *self.registers.masks[pair].get_or_insert_with(|| {
            let name = match code & !1 {
                VCC => "vcc".to_owned(),
                EXEC => "exec".to_owned(),
                code => format!("s{code}_mask"),
            };
            self.b.var(name, Type::BOOL)
        })
    }

    fn scc_var(&mut self) -> Var {
        *self.registers.scc.get_or_insert_with(|| self.b.var("scc", Type::BOOL))
    }

    fn vgpr_var(&mut self, n: u8) -> Var {
        *self.registers.vgprs[usize::from(n)].get_or_insert_with(|| self.b.var(format!("v{n}"), Type::B32))
    }

    // Vector registers.

    /// Keeps all vector registers in one array from here on: for programs that index them.
    pub(super) fn index_vgprs(&mut self) {
        let array = self.b.var_array("v", Type::B32, VGPRS);
        self.registers.array = Some(array);
    }

    /// A vector register: untyped, or the number that was put there.
    pub(super) fn vgpr(&mut self, n: u8) -> Value {
        match self.registers.array {
            Some(array) => {
                let index = self.b.i32(n.into());
                self.b.load_elem(array, index)
            }
            None => {
                let var = self.vgpr_var(n);
                self.b.load_stored(var)
            }
        }
    }

    /// The vector register `index` behind `n`; in programs that index them.
    pub(super) fn vgpr_at(&mut self, n: u8, index: Value) -> Value {
        let Some(array) = self.registers.array else { return self.vgpr(n) };
        let base = self.b.i32(n.into());
        let at = self.b.iadd(base, index);
        self.b.load_elem(array, at)
    }

    /// Sets a vector register in active lanes.
    pub(super) fn set_vgpr(&mut self, n: u8, value: Value) {
        let value = if self.exec_known() {
            value
        } else {
            let (exec, old) = (self.exec(), self.vgpr(n));
            let value = self.word(value);
            self.b.select(exec, value, old)
        };
        self.set_vgpr_always(n, value);
    }

    /// Sets vector registers from `n` on in active lanes.
    pub(super) fn set_vgprs(&mut self, n: u8, values: &[Value]) {
        for (at, &value) in values.iter().enumerate() {
            self.set_vgpr(n.wrapping_add(at as u8), value);
        }
    }

    /// Sets a vector register whatever exec is.
    pub(super) fn set_vgpr_always(&mut self, n: u8, value: Value) {
        let value = self.word(value);
        match self.registers.array {
            Some(array) => {
                let index = self.b.i32(n.into());
                self.b.store_elem(array, index, Mask(1), value);
            }
            None => {
                let var = self.vgpr_var(n);
                self.b.store(var, value);
            }
        }
    }

    /// Sets the vector register `index` behind `n` in active lanes; in programs that index them.
    pub(super) fn set_vgpr_at(&mut self, n: u8, index: Value, value: Value) {
        let Some(array) = self.registers.array else { return self.set_vgpr(n, value) };
        let base = self.b.i32(n.into());
        let at = self.b.iadd(base, index);
        let mut value = self.word(value);
        if !self.exec_known() {
            let (exec, old) = (self.exec(), self.b.load_elem(array, at));
            value = self.b.select(exec, value, old);
        }
        self.b.store_elem(array, at, Mask(1), value);
    }

    /// A value as a register has it: truth values are 0 and 1.
    fn word(&mut self, value: Value) -> Value {
        if self.b.ty(value).kind == Kind::Bool { self.b.cast(value, Kind::Int) } else { value }
    }

    // Scalar registers as words.

    /// A scalar register by its code (0 to 127): untyped, or the number that was put there.
    pub(super) fn sgpr(&mut self, code: u8) -> Value {
        if code & !1 == EXEC {
            let exec = self.exec();
            let words = self.b.ballot(exec);
            return self.b.extract(words, code & 1);
        }
        let var = self.word_var(code);
        self.b.load_stored(var)
    }

    /// Sets a scalar register by its code. If its pair is wanted as a mask, the lanes that this word has bits for follow.
    pub(super) fn set_sgpr(&mut self, code: u8, value: Value) {
        let value = self.word(value);
        if code & !1 != EXEC {
            let var = self.word_var(code);
            self.b.store(var, value);
        }
        if self.wanted.mask(code) {
            let lane = self.b.lane_index();
            let bit = self.b.ushr(value, lane);
            let one = self.b.i32(1);
            let bit = self.b.iand(bit, one);
            let bit = self.b.cast(bit, Kind::Bool);
            let half = self.b.i32(32);
            let mut here = self.b.ult(lane, half);
            if code & 1 != 0 {
                here = self.b.bnot(here);
            }
            let var = self.mask_var(code);
            let old = self.b.load(var);
            let bit = self.b.select(here, bit, old);
            self.b.store(var, bit);
        }
    }

    /// Sets scalar registers from `code` on.
    pub(super) fn set_sgprs(&mut self, code: u8, values: &[Value]) {
        for (at, &value) in values.iter().enumerate() {
            let code = usize::from(code) + at;
            if code < 128 {
                self.set_sgpr(code as u8, value);
            }
        }
    }

    /// M0.
    pub(super) fn m0(&mut self) -> Value {
        self.sgpr(M0)
    }

    // Masks.

    /// This lane's bit of exec.
    pub(super) fn exec(&mut self) -> Value {
        if self.exec_known() {
            return self.b.bool(true);
        }
        let var = self.mask_var(EXEC);
        self.b.load(var)
    }

    /// Whether exec is known to be true here.
    pub(super) fn exec_known(&self) -> bool {
        self.exec_known
    }

    /// Sets this lane's bit of exec, from the next instruction on.
    pub(super) fn set_exec(&mut self, value: Value) {
        let var = self.mask_var(EXEC);
        self.b.store(var, value);
    }

    /// This lane's bit of the pair of scalar registers at `code`.
    pub(super) fn mask(&mut self, code: u8) -> Value {
        if code & !1 == EXEC {
            return self.exec();
        }
        let var = self.mask_var(code);
        self.b.load(var)
    }

    /// Sets this lane's bit of the pair of scalar registers at `code`, and its words by a ballot if somebody wants them.
    pub(super) fn set_mask(&mut self, code: u8, value: Value) {
        if code & !1 == EXEC {
            return self.set_exec(value);
        }
        if self.wanted.mask(code) {
            let var = self.mask_var(code);
            self.b.store(var, value);
        }
        if self.wanted.word(code) || self.wanted.word(code | 1) {
            let words = self.b.ballot(value);
            for half in 0..2 {
                let word = self.b.extract(words, half);
                let var = self.word_var(code & !1 | half);
                self.b.store(var, word);
            }
        }
    }

    /// Sets the words of a pair and, if somebody wants it, this lane's bit, when both are at hand.
    pub(super) fn set_words_and_mask(&mut self, code: u8, words: [Value; 2], mask: Value) {
        if code & !1 == EXEC {
            return self.set_exec(mask);
        }
        for (half, word) in words.into_iter().enumerate() {
            let (word, var) = (self.word(word), self.word_var(code & !1 | half as u8));
            self.b.store(var, word);
        }
        if self.wanted.mask(code) {
            let var = self.mask_var(code);
            self.b.store(var, mask);
        }
    }

    /// The truth value of a lane out of an operand of two words: carries in, selects, conditions.
    pub(super) fn read_mask(&mut self, operand: Operand) -> Value {
        match operand.scalar_code() {
            Some(code) => self.mask(code),
            None => match operand.constant(Ty::B64) {
                Some(bits) => self.constant_mask(bits),
                None => {
                    // One bit, of the first lane.
                    let (word, zero) = (self.read(operand), self.b.i32(0));
                    self.lane_bit([word, zero])
                }
            },
        }
    }

    /// Sets a pair of scalar registers to what each active lane finds; the bits of other lanes become 0, as those of
    /// comparisons and carries do.
    pub(super) fn write_mask(&mut self, operand: Operand, value: Value) {
        let value = self.b.cast(value, Kind::Bool);
        let value = if self.exec_known() {
            value
        } else {
            let exec = self.exec();
            self.b.band(value, exec)
        };
        if let Some(code) = operand.scalar_code() {
            self.set_mask(code, value);
        }
    }

    /// This lane's bit of a constant.
    pub(super) fn constant_mask(&mut self, bits: u64) -> Value {
        match bits {
            0 => self.b.bool(false),
            u64::MAX => self.b.bool(true),
            _ => {
                let words = [bits as u32, (bits >> 32) as u32].map(|word| self.b.i32(word as i32));
                self.lane_bit(words)
            }
        }
    }

    /// This lane's bit of 64.
    pub(super) fn lane_bit(&mut self, [low, high]: [Value; 2]) -> Value {
        let b = &mut self.b;
        let (lane, half, one) = (b.lane_index(), b.i32(32), b.i32(1));
        let lower = b.ult(lane, half);
        let low = b.cast(low, Kind::Int);
        let high = b.cast(high, Kind::Int);
        let word = b.select(lower, low, high);
        let bit = b.ushr(word, lane);
        let bit = b.iand(bit, one);
        b.cast(bit, Kind::Bool)
    }

    // Whether vector instructions are skipped.

    fn skips_var(&mut self) -> Var {
        *self.registers.skips.get_or_insert_with(|| self.b.var("vskip", Type::BOOL))
    }

    /// Whether vector instructions are skipped.
    pub(super) fn skips(&mut self) -> Value {
        let var = self.skips_var();
        self.b.load(var)
    }

    /// Sets that.
    pub(super) fn set_skips(&mut self, value: Value) {
        let var = self.skips_var();
        self.b.store(var, value);
    }

    // Condition code.

    /// scc.
    pub(super) fn scc(&mut self) -> Value {
        let var = self.scc_var();
        self.b.load(var)
    }

    /// Sets scc.
    pub(super) fn set_scc(&mut self, value: Value) {
        let var = self.scc_var();
        self.b.store(var, value);
    }

    // Operands.

    /// A one-word operand: of registers what was put there, of constants an integer or a float.
    pub(super) fn read(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Vgpr(n) => self.vgpr(n),
            Operand::Float(bits) => self.b.f32(f32::from_bits(bits)),
            Operand::Scc => {
                let scc = self.scc();
                self.b.cast(scc, Kind::Int)
            }
            Operand::Vccz | Operand::Execz => {
                let mask = self.mask(if operand == Operand::Vccz { VCC } else { EXEC });
                let any = self.b.wave_any(mask);
                let none = self.b.bnot(any);
                self.b.cast(none, Kind::Int)
            }
            Operand::LdsDirect => super::lds::direct(self),
            Operand::PopsExitingWaveId => super::interlock::exiting(self),
            _ => match operand.scalar_code() {
                Some(code) => self.sgpr(code),
                None => {
                    let bits = operand.constant(Ty::B32).unwrap_or_default();
                    self.b.i32(bits as i32)
                }
            },
        }
    }

    /// A two-word operand of a type, as two integers, low half first.
    pub(super) fn read64(&mut self, operand: Operand, ty: Ty) -> Value {
        if let Some(bits) = operand.constant(ty) {
            return self.b.const_bits(Type::I32X2, [bits as u32, (bits >> 32) as u32, 0, 0]);
        }
        let mut words: SmallVec<[Value; 4]> = self.read_words(operand, 2);
        if words.len() == 1 {
            // What has one word, such as scc, is followed by zeros.
            words.push(self.b.i32(0));
        }
        let pair = self.b.construct(&words);
        self.b.cast(pair, Kind::Int)
    }

    /// The words of an operand in registers; of a constant, the first.
    pub(super) fn read_words(&mut self, operand: Operand, count: u8) -> SmallVec<[Value; 4]> {
        match operand {
            Operand::Vgpr(_) => (0..count)
                .map(|n| {
                    let word = operand.word(n).unwrap_or(Operand::Int(0));
                    self.read(word)
                })
                .collect(),
            _ => match operand.scalar_code() {
                Some(EXEC) if count == 2 => {
                    let exec = self.exec();
                    let words = self.b.ballot(exec);
                    (0..2).map(|n| self.b.extract(words, n)).collect()
                }
                Some(_) => (0..count).map(|n| self.read(operand.word(n).unwrap_or(Operand::Int(0)))).collect(),
                None => SmallVec::from_elem(self.read(operand), 1),
            },
        }
    }

    /// A value in the first active lane, or in lane 0 if none is.
    pub(super) fn first_active(&mut self, value: Value) -> Value {
        if self.exec_known {
            return self.b.read_first(value);
        }
        // Lanes that are not active get it too, for scalar code goes on in them.
        let exec = self.exec();
        let b = &mut self.b;
        let mask = b.ballot(exec);
        let (low, high) = (b.extract(mask, 0), b.extract(mask, 1));
        let (first, second) = (b.find_lsb(low), b.find_lsb(high));
        let [zero, half] = [0, 32].map(|n| b.i32(n));
        let second = b.iadd(second, half);
        let (any_low, any_high) = (b.ine(low, zero), b.ine(high, zero));
        let second = b.select(any_high, second, zero);
        let lane = b.select(any_low, first, second);
        b.wave_shuffle(value, lane)
    }

    /// Does something for active lanes only; in it, exec is known to be true.
    pub(super) fn when_active<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        if self.exec_known {
            return action(self);
        }
        let exec = self.exec();
        self.b.begin_if(exec);
        self.exec_known = true;
        let result = action(self);
        self.exec_known = false;
        self.b.end_if();
        result
    }
}
