//! The state as bytes, and back, for [`crate::Gpu::save`] and [`crate::Gpu::load`].

use super::archive::{Archive, Kept, StateError, kept};
use super::engine::ComputeQueue;
use super::{Context, Machine, QUEUES, Shared};

kept!(Context { registers, indirect_base, predicate, predicate_sum, atomic_result, gds_atomic_result });
kept!(Shared { constants, gds, statistics, time });

impl Kept for Machine {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let Self { shared, ring, context, draw, constant, compute } = self;
        shared.keep(archive)?;
        ring.keep(archive)?;
        context.keep(archive)?;
        draw.keep(archive)?;
        constant.keep(archive)?;
        for (place, slot) in compute.iter_mut().enumerate() {
            let mut is_there = slot.is_some();
            is_there.keep(archive)?;
            let (pipe, queue) = ((place / usize::from(QUEUES)) as u8, (place % usize::from(QUEUES)) as u8);
            match is_there {
                true => slot.get_or_insert_with(|| Box::new(ComputeQueue::new(pipe, queue))).keep(archive)?,
                false => *slot = None,
            }
        }
        Ok(())
    }
}

impl Machine {
    /// The state of every queue between two runs, also of those that wait: registers, rings, what is left of command buffers, constant
    /// memory, the global data share as the command processor has it; and behind it `more`. Memory is not in it.
    pub(crate) fn save_with(&mut self, mut more: impl Kept) -> Vec<u8> {
        let mut archive = Archive::saving();
        let saved = self.keep(&mut archive).and_then(|()| more.keep(&mut archive));
        debug_assert!(saved.is_ok(), "what a machine holds is refused: {saved:?}");
        archive.end().unwrap_or_default()
    }

    /// Puts a saved state in place of this one, and gives what is behind it. Limits, and what was said of faults, stay.
    ///
    /// # Errors
    /// If the bytes are none; the machine is as it was then.
    pub(crate) fn load_with<T: Kept + Default>(&mut self, bytes: &[u8]) -> Result<T, StateError> {
        let mut archive = Archive::loading(bytes)?;
        let (mut machine, mut more) = (Self::new(), T::default());
        machine.keep(&mut archive)?;
        more.keep(&mut archive)?;
        archive.end()?;
        std::mem::swap(&mut self.shared.reports, &mut machine.shared.reports);
        machine.shared.limits = self.shared.limits;
        *self = machine;
        Ok(more)
    }

    /// All of the global data share as the command processor has it.
    pub(crate) fn gds(&mut self) -> &mut [u8] {
        &mut self.shared.gds
    }
}
