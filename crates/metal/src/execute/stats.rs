//! Figures of a run: JSON at its end.

use crate::renderer::Renderer;
use afterimage_metal_calls::Device;
use afterimage_render::stats::{quote, state_json};

impl<D: Device> Renderer<D> {
    /// The figures as JSON: those of the renderer on Vulkan that there are here, and how many faults the device has found.
    #[must_use]
    pub fn stats_json(&self) -> String {
        format!(
            "{{\n  \"program\": {},\n  \"device\": {},\n  \"frames\": {},\n  \"draws\": {},\n  \"skipped_draws\": {},\n  \
             \"ms_per_frame\": {:.4},\n  \"pipelines\": {},\n  \"shaders\": {},\n  \"shader_failures\": {},\n  \
             \"guest_state\": {},\n  \"renderer_state\": {},\n  \"faults\": {}\n}}\n",
            quote(&self.stats.program),
            quote(&self.device.facts().name),
            self.stats.frames,
            self.draws,
            self.skipped_draws,
            self.stats.ms_per_frame(),
            self.pipelines.made(),
            self.library.variants.len(),
            self.library.failures,
            state_json(&self.stats.guest),
            state_json(&self.state_figures()),
            self.commands.fault_count,
        )
    }

    /// Writes the figures where the options say, once.
    pub(crate) fn write_stats(&mut self) {
        if let Some(path) = self.stats_file.take() {
            let written = afterimage_output::write(&path, self.stats_json().as_bytes());
            if let Some(why) = self.presenter.pictures.failures.note(&path, written) {
                tracing::error!("{why}");
            }
        }
    }
}
