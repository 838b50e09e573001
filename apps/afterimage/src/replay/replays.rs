//! Renderers that replay call by call, whatever they draw with.

use afterimage_metal_calls::Device;
use afterimage_render::step::Steps;

/// What a replay asks of a renderer besides going from call to call.
pub(super) trait Replays: Steps {
    /// The device's name.
    fn device(&self) -> String;

    /// Completes all files. How many could not be written.
    fn end(&mut self) -> u64;

    /// What was found wrong: messages of the validation layer, or faults of Metal's.
    fn wrong(&self) -> u64;

    /// Draws and dispatches that were left out.
    fn left_out(&self) -> u64;

    /// Figures, as JSON.
    fn figures(&self) -> String;
}

impl Replays for afterimage_vulkan::Renderer {
    fn device(&self) -> String {
        self.gpu().profile.name.clone()
    }

    fn end(&mut self) -> u64 {
        self.finish_files()
    }

    fn wrong(&self) -> u64 {
        self.validation_messages()
    }

    fn left_out(&self) -> u64 {
        self.skipped_draws()
    }

    fn figures(&self) -> String {
        self.stats_json()
    }
}

impl<D: Device> Replays for afterimage_metal::Renderer<D> {
    fn device(&self) -> String {
        self.device().facts().name.clone()
    }

    fn end(&mut self) -> u64 {
        self.finish_files()
    }

    fn wrong(&self) -> u64 {
        let (faults, count) = self.faults();
        faults.iter().for_each(|fault| eprintln!("{fault}"));
        count
    }

    fn left_out(&self) -> u64 {
        self.skipped_draws()
    }

    fn figures(&self) -> String {
        self.stats_json()
    }
}
