//! Figures of a run: lines of JSON at its end, and answers to who asks.

use crate::renderer::Renderer;
use afterimage_render::stats::{quote, state_json};
use afterimage_state::Figures;

impl Renderer {
    /// Counts what applying everything would take for a draw with a new pipeline.
    pub(crate) fn count_calls(&mut self) {
        let has = self.gpu.profile.dynamic_state3;
        let flags = [
            has.polygon_mode,
            has.depth_clamp,
            has.sample_mask,
            self.gpu.dynamic2.is_some(),
            self.bound.index_limit != 0,
            self.bound.shading.used != 0 || self.resources.descriptors.bindless.is_some(),
            self.bound.shading.reach.images,
        ];
        // Pipeline, topology, viewport, scissor and push constants; four of the rasteriser, eight of depth and stencil, the
        // constant of blending.
        let always = 5 + 4 + 8 + 1;
        let blending = if has.blend { 3 } else { 0 };
        let bounds = if self.gpu.profile.depth_bounds { 2 } else { 0 };
        let flags: u64 = flags.into_iter().map(u64::from).sum();
        self.stats.calls.of_draw = always + blending + bounds + flags + u64::from(self.bound.input.slots.count_ones());
    }

    /// Calls of Vulkan that set state or bind something, and that were not made, since the command buffer had what they would set.
    #[must_use]
    pub fn calls_saved(&self) -> u64 {
        self.stats.calls.saved()
    }

    /// What was marked and applied so far.
    #[must_use]
    pub fn state_figures(&self) -> Figures {
        Figures { draws: self.recorder.draws, ..self.state.tracker.figures() }
    }

    /// The figures as JSON. `pipelines` is how many were made, `pipelines_there` how many there are or will be; of those that
    /// draws asked for, `pipelines_waited_for` were not there yet and `pipelines_ready` were, `pipelines_known` of them because
    /// earlier runs had used them; `pipelines_linked` were linked of their parts, waited for or not. `merged_draws` were
    /// recorded in calls with others from which they differ. `waited_ms` is what draws waited for shaders and pipelines
    /// altogether. `guest_state` and `renderer_state` are what state tracking did, see `docs/state.md`; of the calls of Vulkan that set state or bind something, `calls`
    /// were made, and `calls_saved` were not that applying everything for each draw would have taken.
    #[must_use]
    pub fn stats_json(&self) -> String {
        format!(
            "{{\n  \"program\": {},\n  \"device\": {},\n  \"frames\": {},\n  \"draws\": {},\n  \"skipped_draws\": {},\n  \
             \"merged_draws\": {},\n  \"calls\": {},\n  \"calls_saved\": {},\n  \
             \"ms_per_frame\": {:.4},\n  \"pipelines\": {},\n  \"pipelines_there\": {},\n  \"pipelines_waited_for\": {},\n  \
             \"pipelines_ready\": {},\n  \"pipelines_known\": {},\n  \"pipelines_linked\": {},\n  \"waited_ms\": {:.3},\n  \
             \"shaders\": {},\n  \"shader_failures\": {},\n  \"guest_state\": {},\n  \"renderer_state\": {},\n  \
             \"validation_messages\": {}\n}}\n",
            quote(&self.stats.program),
            quote(&self.gpu.profile.name),
            self.stats.frames,
            self.recorder.draws,
            self.recorder.skipped_draws,
            self.recorder.merged_draws,
            self.stats.calls.made,
            self.stats.calls.saved(),
            self.stats.ms_per_frame(),
            self.programs.pipelines.made(),
            self.programs.pipelines.len(),
            self.programs.pipelines.figures.waited,
            self.programs.pipelines.figures.ahead,
            self.programs.pipelines.figures.known,
            self.programs.pipelines.figures.linked,
            (self.programs.pipelines.figures.nanoseconds + self.programs.library.waited) as f64 / 1e6,
            self.programs.library.len(),
            self.programs.library.failures,
            state_json(&self.stats.guest),
            state_json(&self.state_figures()),
            self.validation_messages(),
        )
    }

    /// Writes the figures where the options say, once.
    pub(crate) fn write_stats(&mut self) {
        if let Some(path) = self.options.wishes.stats.take()
            && let Some(why) = self
                .presenter
                .pictures
                .failures
                .note(&path, afterimage_output::write(&path, self.stats_json().as_bytes()))
        {
            tracing::error!("{why}");
        }
    }

    /// Completes every file that the options and requests ask for: pictures, captures, figures. How many could not be written, each of
    /// which is in the log. To be called when nothing more is to be drawn; who drops a renderer without hears of failures in the log only.
    pub fn finish_files(&mut self) -> u64 {
        self.finish_capture();
        if self.lost().is_none()
            && let Err(error) = self.finish(&mut |_| {})
        {
            self.fail(error);
        }
        self.write_stats();
        self.presenter.pictures.finish_log();
        self.presenter.pictures.failures.count()
    }
}
