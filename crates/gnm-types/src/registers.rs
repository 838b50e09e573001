//! The register file.

use crate::groups::GnmStates;
pub use crate::places::Space;
use crate::places::{WORDS, has_row};
use crate::view::View;
use afterimage_state::{State, Tracker};

/// The last value of every register, and what changed since somebody applied it. Addresses are byte addresses, as in
/// [`crate::reg`].
#[derive(Clone, Debug)]
pub struct Registers {
    view: View,
    /// What changed. Whoever applies a group takes its mark away.
    pub tracker: Tracker<GnmStates>,
}

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

/// Reading is the view's.
impl std::ops::Deref for Registers {
    type Target = View;

    #[inline]
    fn deref(&self) -> &View {
        &self.view
    }
}

impl Registers {
    /// All zeros, everything dirty.
    #[must_use]
    pub fn new() -> Self {
        Self { view: View { words: Box::new([0; WORDS]) }, tracker: Tracker::new() }
    }

    /// Stores a register. False where it has no name.
    #[inline]
    pub fn set(&mut self, address: u32, value: u32) -> bool {
        self.set_run(address, &[value]).is_none()
    }

    /// [`Registers::set_run`] of one, as most packets are.
    #[inline]
    fn set_one(&mut self, space: Space, address: u32, value: u32) -> Option<u32> {
        let at = space.start() + (address - space.base()) as usize / 4;
        let is_new = self.tracker.write(State::of(at as u32), &mut self.view.words[at], value);
        (is_new && !has_row(at)).then_some(address)
    }

    /// Stores consecutive registers and marks what reads those that changed. Registers that are not kept are left out.
    /// The address of the first register without a name that got another value, or of the first that is not kept.
    #[inline]
    pub fn set_run(&mut self, address: u32, values: &[u32]) -> Option<u32> {
        let Some(space) = Space::of(address) else { return (!values.is_empty()).then_some(address) };
        if let &[value] = values {
            return self.set_one(space, address, value);
        }
        let first = space.start() + (address - space.base()) as usize / 4;
        let end = (space.start() + space.words()).min(first + values.len());
        let words = &mut self.view.words[first..end];
        let unnamed = (first..end)
            .zip(words.iter().zip(values))
            .find(|(at, (word, value))| !has_row(*at) && word != value)
            .map(|(at, _)| at - first);
        self.tracker.write_run(first, words, &values[..end - first]);
        let unnamed = unnamed.or((values.len() > end - first).then_some(end - first));
        unnamed.map(|at| address + 4 * at as u32)
    }

    /// Every register of a space becomes 0, which marks what reads those that were not.
    pub fn clear(&mut self, space: Space) {
        let range = space.start()..space.start() + space.words();
        self.tracker.write_run(range.start, &mut self.view.words[range], &[0; 0x1000][..space.words()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Group, reg};

    #[test]
    fn a_write_marks_the_group_of_what_changes() {
        let mut registers = Registers::new();
        registers.tracker.take();
        assert!(registers.set(reg::DB_DEPTH_CONTROL, reg::DB_DEPTH_CONTROL::ZFUNC.bits(3)));
        let depth = [Group::Plan, Group::Targets, Group::DepthStencil];
        assert_eq!(registers.tracker.dirty().iter().filter(|group| depth.contains(group)).count(), 2);
        assert_eq!(registers.field(reg::DB_DEPTH_CONTROL::ZFUNC), 3);
        registers.tracker.take();
        assert!(registers.set(reg::DB_DEPTH_CONTROL, 0x30));
        assert!(registers.tracker.is_clean(), "an equal write marks nothing");
        assert_eq!(registers.set_run(reg::CB_COLOR0_BASE + 0x3C * 7, &[1; 6]), None);
        assert!(registers.tracker.dirty().contains(Group::Targets));
        assert_eq!(registers.get_nth(reg::CB_COLOR0_BASE, 7, 0x3C), 1);
    }

    #[test]
    fn what_has_no_name_is_told_and_what_is_not_kept_is_left_out() {
        let mut registers = Registers::new();
        assert_eq!(registers.set_run(0x28FF8, &[0, 9, 7]), Some(0x28FFC));
        assert_eq!(registers.get(0x28FFC), 9);
        assert_eq!(registers.get(0x29000), 0);
        assert_eq!(registers.set_run(0x28FFC, &[9, 7]), Some(0x29000));
        assert_eq!(registers.set_run(0x40000, &[7]), Some(0x40000));
        assert_eq!((registers.set_run(0x28FFC, &[9]), registers.set_run(0x28FFC, &[8])), (None, Some(0x28FFC)));
        assert_eq!((registers.get(u32::MAX), registers.get_nth(u32::MAX, 9, 9)), (0, 0));
    }

    #[test]
    fn clearing_marks_what_was_set() {
        let mut registers = Registers::new();
        registers.set(reg::CB_BLEND_RED, 1);
        registers.tracker.take();
        registers.clear(Space::Context);
        assert_eq!(registers.tracker.dirty().iter().collect::<Vec<_>>(), [Group::Blend]);
        assert_eq!(registers.get(reg::CB_BLEND_RED), 0);
    }

    #[test]
    fn programs_have_addresses_of_48_bits() {
        let mut registers = Registers::new();
        registers.set(reg::SPI_SHADER_PGM_LO_PS, 0x1234_5678);
        registers.set(reg::SPI_SHADER_PGM_HI_PS, 0xAB);
        assert_eq!(registers.program(reg::SPI_SHADER_PGM_LO_PS), 0xAB12_3456_7800);
    }
}
