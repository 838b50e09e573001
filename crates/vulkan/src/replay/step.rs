//! Stepping through a capture with Vulkan.

use crate::error::Error;
use crate::renderer::Renderer;
use crate::replay::times::Laps;
use afterimage_capture::MemoryArena;
use afterimage_render::step::{self, Steps};
use afterimage_render::texels::Texels;
use afterimage_stream::packets::View;
use afterimage_stream::{Budgets, Reply, State};
use std::time::Duration;

/// Drives a renderer through a capture, call by call.
///
/// ```no_run
/// use afterimage_vulkan::{Options, Renderer, Stepper};
/// let renderer = Renderer::new(Options::from_env())?;
/// let mut stepper = Stepper::open(renderer, "scene.aftercap".as_ref())?;
/// stepper.run_to(17)?;
/// for (target, view) in stepper.targets() {
///     if let Some(look) = stepper.picture(view)? {
///         println!("{target:?}: {} x {}", look.width, look.height);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Stepper = step::Stepper<Renderer>;

/// Why a stepper cannot do what is asked.
pub type StepError = step::StepError<Error>;

impl Steps for Renderer {
    type Error = Error;
    type Laps = Laps;

    fn begin_replay(&mut self, program: &str) {
        self.presenter.pictures.headless = true;
        program.clone_into(&mut self.stats.program);
        self.recall();
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
        Renderer::take_loss(self)
    }

    fn take_times(&mut self, on: bool) -> bool {
        if self.gpu.profile.timestamp_bits == 0 {
            return false;
        }
        // A call that is the thousandth would be submitted in the middle of its time.
        self.recorder.timed = on;
        true
    }

    fn begin_lap(&mut self, laps: &mut Laps) -> Result<(), Error> {
        laps.begin(self)
    }

    fn end_lap(&mut self, laps: &mut Laps) -> Result<(), Error> {
        laps.end(self)
    }

    fn answer_lap(laps: &mut Laps, reply: &Reply) {
        laps.answer(reply);
    }

    fn durations(laps: Laps) -> Vec<Option<Duration>> {
        laps.durations().collect()
    }
}
