//! Epochs of what shaders and copies touch.

use crate::device::barrier::full_barrier;
use crate::renderer::Renderer;

impl Renderer {
    /// Everything from here on waits for everything before. No pass may be open.
    pub(crate) fn begin_epoch(&mut self) {
        let cmd = self.recorder.main();
        full_barrier(&self.gpu, cmd);
        self.recorder.order.epoch += 1;
        (self.recorder.order.drawn, self.recorder.order.written) = (false, false);
    }
}
