//! Stepping through a capture with Metal.

use crate::error::Error;
use crate::renderer::Renderer;
use afterimage_capture::MemoryArena;
use afterimage_metal_calls::{Device, Queue, Serial};
use afterimage_render::step::{self, Steps};
use afterimage_render::texels::Texels;
use afterimage_stream::packets::View;
use afterimage_stream::{Budgets, Reply, State};
use std::time::Duration;

/// Drives a renderer through a capture, call by call.
pub type Stepper<D> = step::Stepper<Renderer<D>>;

/// Why a stepper cannot do what is asked.
pub type StepError = step::StepError<Error>;

/// Times of calls, each in a command buffer of its own.
#[derive(Debug, Default)]
pub struct Laps {
    /// The command buffer that is being written when a call begins.
    begun: Serial,
    done: Vec<Option<Duration>>,
}

impl<D: Device> Steps for Renderer<D> {
    type Error = Error;
    type Laps = Laps;

    fn begin_replay(&mut self, program: &str) {
        self.presenter.pictures.headless = true;
        program.clone_into(&mut self.stats.program);
    }

    fn restart(&mut self) -> Result<(), Error> {
        Renderer::restart(self, &mut |_| {})
    }

    fn finish(&mut self, replies: &mut dyn FnMut(Reply)) -> Result<(), Error> {
        Renderer::finish(self, replies)
    }

    fn state(&self) -> &State {
        Renderer::state(self)
    }

    fn budgets(&self) -> &Budgets {
        Renderer::budgets(self)
    }

    fn resume(&mut self) {
        self.validator.resume();
    }

    fn snapshot(&mut self) -> Result<(Vec<u64>, MemoryArena), Error> {
        Renderer::snapshot(self)
    }

    fn look(&mut self, view: View) -> Result<Option<Texels>, Error> {
        Renderer::look(self, view)
    }

    fn take_loss(&mut self) -> Option<Error> {
        self.lost.clone()
    }

    fn take_times(&mut self, _: bool) -> bool {
        true
    }

    fn begin_lap(&mut self, laps: &mut Laps) -> Result<(), Error> {
        self.submit()?;
        laps.begun = self.commands.current();
        Ok(())
    }

    /// The time of what was encoded since, if it is one command buffer: a call that commits by itself waits for its own answer.
    fn end_lap(&mut self, laps: &mut Laps) -> Result<(), Error> {
        let alone = self.commands.current() == laps.begun;
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let times = self.commands.queue.times(serial).filter(|_| alone && serial == laps.begun);
        laps.done.push(times.and_then(|(begun, ended)| Duration::try_from_secs_f64(ended - begun).ok()));
        Ok(())
    }

    fn answer_lap(_: &mut Laps, _: &Reply) {}

    fn durations(laps: Laps) -> Vec<Option<Duration>> {
        laps.done
    }
}
