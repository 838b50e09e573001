//! The register file of one Kelvin object.

use crate::groups::KelvinStates;
use crate::methods::{METHOD_WORDS, method as m};
use crate::{CONSTANT_SLOTS, PROGRAM_SLOTS, context, enumerations};
use afterimage_state::{State, Tracker, trace};

/// A bit for each slot of constant memory, the lowest of the first word for slot 0.
pub type ConstantBits = [u64; CONSTANT_SLOTS / 64];

const _: () = assert!(CONSTANT_SLOTS.is_multiple_of(64), "a word of bits for 64 slots");

/// What a Kelvin object was told: the last argument of every method, program memory, constant memory, and what changed since
/// the last draw looked.
#[derive(Clone, Debug)]
pub struct Registers {
    words: Box<[u32; METHOD_WORDS]>,
    program: Box<[[u32; 4]; PROGRAM_SLOTS]>,
    constants: Box<[[u32; 4]; CONSTANT_SLOTS]>,
    /// A bit for each slot of constant memory that changed since [`Registers::take_stale_constants`].
    stale_constants: ConstantBits,
    /// What changed. Whoever applies a group takes its mark away.
    pub tracker: Tracker<KelvinStates>,
}

impl Registers {
    /// All zeros, everything dirty.
    #[must_use]
    pub fn new() -> Self {
        Self {
            words: Box::new([0; METHOD_WORDS]),
            program: Box::new([[0; 4]; PROGRAM_SLOTS]),
            constants: Box::new([[0; 4]; CONSTANT_SLOTS]),
            stale_constants: [0; CONSTANT_SLOTS / 64],
            tracker: Tracker::new(),
        }
    }

    /// The last argument of the method at a byte offset below 0x2000.
    #[must_use]
    #[inline]
    pub fn get(&self, method: u16) -> u32 {
        let at = usize::from(method / 4) % METHOD_WORDS;
        trace::read(State::<KelvinStates>::of(at as u32));
        self.words[at]
    }

    /// The same, as an IEEE single.
    #[must_use]
    #[inline]
    pub fn float(&self, method: u16) -> f32 {
        f32::from_bits(self.get(method))
    }

    /// `N` arguments from a byte offset on, as IEEE singles.
    #[must_use]
    pub fn floats<const N: usize>(&self, method: u16) -> [f32; N] {
        std::array::from_fn(|i| self.float(method + 4 * i as u16))
    }

    /// Bits `low..low + width` of the last argument. `width` is 1 to 31.
    #[must_use]
    #[inline]
    pub fn bits(&self, method: u16, low: u32, width: u32) -> u32 {
        self.get(method) >> low & ((1 << width) - 1)
    }

    /// Whether the last argument was not zero.
    #[must_use]
    #[inline]
    pub fn is_set(&self, method: u16) -> bool {
        self.get(method) != 0
    }

    /// Stores an argument; marks what reads it if the value is another. Methods that are windows into constant memory
    /// write there too, and a side of a window clip rectangle is that of all rectangles after it.
    /// What a method of an enumeration does not take is not stored.
    #[inline]
    pub fn set(&mut self, method: u16, value: u32) {
        let at = usize::from(method / 4) % METHOD_WORDS;
        if self.words[at] != value && !enumerations::takes(method, value) {
            return;
        }
        if let Some((slot, component)) = context::slot_of(method) {
            self.words[at] = value;
            self.set_constant(usize::from(slot), usize::from(component), value);
        } else if is_window_rectangle(method) {
            // Eight words that begin at a multiple of 32 bytes.
            (at..=at | 7).for_each(|at| self.set_word(at, value));
        } else {
            self.set_word(at, value);
        }
    }

    #[inline]
    fn set_word(&mut self, at: usize, value: u32) {
        self.tracker.write(State::of(at as u32), &mut self.words[at], value);
    }

    /// Stores arguments of consecutive methods from `method` on, none of which refuses a number or changes more than its own
    /// word; the same as [`Registers::set`] for each, but without a branch per word. What lies beyond the method space is
    /// ignored.
    #[inline]
    pub fn set_run(&mut self, method: u16, values: &[u32]) {
        let first = usize::from(method / 4) % METHOD_WORDS;
        self.tracker.write_run(first, &mut self.words[first..], values);
    }

    /// Stores arguments of consecutive methods that are windows into constant memory; the same as [`Registers::set`] for each.
    /// What comes behind the windows is ignored.
    pub fn set_context_run(&mut self, mut method: u16, mut values: &[u32]) {
        while let Some((window, word)) = context::window_of(method) {
            let count = values.len().min(usize::from(window.slots) * 4 - word);
            if count == 0 {
                return;
            }
            let (here, behind) = values.split_at(count);
            let first = usize::from(method / 4);
            self.words[first..first + count].copy_from_slice(here);
            self.set_constants(window.slot.into(), word, here);
            (method, values) = (method + 4 * count as u16, behind);
        }
    }

    /// Writes constant memory from a component of a slot on; what lies beyond its end is ignored.
    pub fn set_constants(&mut self, slot: usize, component: usize, mut values: &[u32]) {
        let (mut slot, mut component) = (slot.saturating_add(component / 4), component % 4);
        let mut any = false;
        while let Some(constant) = self.constants.get_mut(slot) {
            let count = values.len().min(4 - component);
            let (here, behind) = values.split_at(count);
            let mut changed = 0;
            for (word, &value) in constant[component..].iter_mut().zip(here) {
                changed |= std::mem::replace(word, value) ^ value;
            }
            self.stale_constants[slot / 64] |= u64::from(changed != 0) << (slot % 64);
            any |= changed != 0;
            if behind.is_empty() {
                break;
            }
            (slot, component, values) = (slot + 1, 0, behind);
        }
        if any {
            self.tracker.changed(KelvinStates::CONSTANTS);
        }
    }

    /// Writes a component of constant memory; ignored beyond its end.
    #[inline]
    pub fn set_constant(&mut self, slot: usize, component: usize, value: u32) {
        let Some(word) = self.constants.get_mut(slot).and_then(|slot| slot.get_mut(component)) else { return };
        if self.tracker.write(KelvinStates::CONSTANTS, word, value) {
            self.stale_constants[slot / 64] |= 1 << (slot % 64);
        }
    }

    /// Takes the slots of constant memory that changed since this was last called. At first there are none: all are zero,
    /// here and in a receiver.
    pub fn take_stale_constants(&mut self) -> ConstantBits {
        std::mem::take(&mut self.stale_constants)
    }

    /// Everything has to be applied again, all of constant memory too: for a receiver that knows nothing.
    pub fn mark_all(&mut self) {
        self.tracker.mark_all();
        self.stale_constants = [u64::MAX; CONSTANT_SLOTS / 64];
    }

    /// Writes a word of program memory; ignored beyond its end.
    #[inline]
    pub fn set_program(&mut self, slot: usize, word: usize, value: u32) {
        let Some(word) = self.program.get_mut(slot).and_then(|slot| slot.get_mut(word)) else { return };
        self.tracker.write(KelvinStates::PROGRAM, word, value);
    }

    /// Program memory, four words an instruction.
    #[must_use]
    pub fn program(&self) -> &[[u32; 4]; PROGRAM_SLOTS] {
        trace::read(KelvinStates::PROGRAM);
        &self.program
    }

    /// Constant memory of the vertex engine: bits of floats. The fixed function's matrices are in it; see [`context`].
    #[must_use]
    pub fn constants(&self) -> &[[u32; 4]; CONSTANT_SLOTS] {
        trace::read(KelvinStates::CONSTANTS);
        &self.constants
    }

    /// A slot of constant memory as floats.
    ///
    /// # Panics
    /// For slots from [`CONSTANT_SLOTS`] on.
    #[must_use]
    pub fn constant(&self, slot: usize) -> [f32; 4] {
        self.constants()[slot].map(f32::from_bits)
    }
}

/// Whether a method is a side of one of the window clip rectangles.
const fn is_window_rectangle(method: u16) -> bool {
    method >= m::SET_WINDOW_CLIP_HORIZONTAL && method < m::SET_WINDOW_CLIP_VERTICAL + 32
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Group, method};

    #[test]
    fn only_changes_mark_groups() {
        let mut registers = Registers::new();
        registers.tracker.take();
        registers.set(method::SET_COMBINER_FACTOR0, 0);
        assert!(registers.tracker.is_clean());
        registers.set(method::SET_COMBINER_FACTOR0 + 4, 7);
        assert!(
            registers.tracker.dirty().contains(Group::PixelConstants)
                && !registers.tracker.dirty().contains(Group::Pixel)
        );
    }

    #[test]
    fn a_run_is_the_same_as_its_words() {
        let (mut one, mut all) = (Registers::new(), Registers::new());
        one.tracker.take();
        all.tracker.take();
        let values = [0, 7, 0x200, 0, 1, 0];
        for (i, &value) in values.iter().enumerate() {
            one.set(method::SET_ALPHA_TEST_ENABLE + 4 * i as u16, value);
        }
        all.set_run(method::SET_ALPHA_TEST_ENABLE, &values);
        assert_eq!(one.tracker.dirty(), all.tracker.dirty());
        assert!(all.tracker.dirty().contains(Group::Blend) && !all.tracker.dirty().contains(Group::Textures));
        assert_eq!(all.get(method::SET_CULL_FACE_ENABLE), 0x200);
        all.set_run(0x1FFC, &[1, 2, 3]);
        assert_eq!((all.get(0x1FFC), all.get(0)), (1, 0));
    }

    #[test]
    fn a_rectangle_is_that_of_all_after_it() {
        let mut registers = Registers::new();
        registers.set(method::SET_WINDOW_CLIP_HORIZONTAL, 1);
        registers.set(method::SET_WINDOW_CLIP_HORIZONTAL + 8, 2);
        let words: [u32; 9] = std::array::from_fn(|n| registers.get(method::SET_WINDOW_CLIP_HORIZONTAL + 4 * n as u16));
        assert_eq!(words, [1, 1, 2, 2, 2, 2, 2, 2, 0]);
        registers.tracker.take();
        registers.set(method::SET_WINDOW_CLIP_VERTICAL + 28, 3);
        assert_eq!(registers.get(method::SET_WINDOW_CLIP_VERTICAL + 24), 0);
        assert!(
            registers.tracker.dirty().contains(Group::PixelConstants)
                && registers.tracker.dirty().contains(Group::Pixel)
        );
    }

    #[test]
    fn what_an_enumeration_does_not_have_changes_nothing() {
        let mut registers = Registers::new();
        registers.set(method::SET_DEPTH_FUNC, 0x203);
        registers.tracker.take();
        registers.set(method::SET_DEPTH_FUNC, 10);
        assert_eq!(registers.get(method::SET_DEPTH_FUNC), 0x203);
        assert!(registers.tracker.is_clean());
    }

    #[test]
    fn runs_into_constant_memory_are_the_same_as_their_words() {
        let (mut one, mut all) = (Registers::new(), Registers::new());
        let values: Vec<u32> = (1..=100).collect();
        for (i, &value) in values.iter().enumerate() {
            one.set(method::SET_PROJECTION_MATRIX + 4 * i as u16, value);
            one.set_constant(170 + i.div_ceil(4), (i + 3) % 4, value);
        }
        all.tracker.take();
        all.set_context_run(method::SET_PROJECTION_MATRIX, &values);
        assert!(all.tracker.dirty().contains(Group::TransformConstants));
        all.set_constants(170, 3, &values);
        assert_eq!(one.constants, all.constants);
        assert_eq!(one.get(method::SET_MODEL_VIEW_MATRIX), all.get(method::SET_MODEL_VIEW_MATRIX));
        // No window lies behind that of the last stage's planes.
        all.set_context_run(method::SET_TEXGEN_PLANE_Q + 0xCC, &[1, 2, 3]);
        assert_eq!((all.constant(0x5F)[3].to_bits(), all.get(method::SET_TEXGEN_PLANE_Q + 0xD0)), (1, 0));
        all.tracker.take();
        all.set_constants(170, 3, &values);
        all.set_constants(usize::MAX, 3, &values);
        assert!(all.tracker.is_clean());
    }

    #[test]
    fn slots_that_changed_are_stale_until_they_are_taken() {
        let mut registers = Registers::new();
        assert_eq!(registers.take_stale_constants(), [0; 3]);
        // The end of a slot, a whole one, one that is zero already, and the begin of another.
        registers.set_constants(62, 3, &[1, 2, 3, 4, 5, 0, 0, 0, 0, 6]);
        registers.set_constant(191, 0, 7);
        registers.set_constant(190, 0, 0);
        assert_eq!(registers.take_stale_constants(), [0b11 << 62, 0b10, 1 << 63]);
        registers.set_constants(62, 3, &[1, 2, 3, 4, 5, 0, 0, 0, 0, 6]);
        assert_eq!(registers.take_stale_constants(), [0; 3]);
        registers.mark_all();
        assert_eq!(registers.take_stale_constants(), [u64::MAX; 3]);
        assert!(registers.tracker.dirty().contains(Group::TransformConstants));
    }

    #[test]
    fn matrices_are_constants() {
        let mut registers = Registers::new();
        registers.set(method::SET_COMPOSITE_MATRIX + 20, 2.5f32.to_bits());
        assert_eq!(registers.constant(1), [0.0, 2.5, 0.0, 0.0]);
        registers.tracker.take();
        registers.set_constant(1, 1, 0);
        registers.set(method::SET_COMPOSITE_MATRIX + 20, 2.5f32.to_bits());
        assert_eq!(registers.constant(1)[1], 2.5, "a program's write in between does not hide the matrix");
        assert!(registers.tracker.dirty().contains(Group::TransformConstants));
    }
}
