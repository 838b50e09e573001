//! A renderer with a thread of its own, in the process of whoever is drawn for.

use crate::error::{Error, Result};
use crate::renderer::Renderer;
use afterimage_ipc::ArenaConfig;
use afterimage_ipc::in_process::{self, InProcessLink};
use std::thread::{Builder, JoinHandle};

/// A thread that is waited for.
struct Joined(Option<JoinHandle<()>>);

impl Drop for Joined {
    fn drop(&mut self) {
        if self.0.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the render thread panicked");
        }
    }
}

impl Renderer {
    /// Has a thread draw what comes through the link that is returned. When the link is dropped, that waits until everything is drawn, and
    /// written where pictures or a capture are asked for.
    ///
    /// ```no_run
    /// use afterimage_ipc::ArenaConfig;
    /// use afterimage_vulkan::{Options, Renderer};
    ///
    /// let link = Renderer::new(Options::from_env())?.on_thread(ArenaConfig::from_env())?;
    /// # Ok::<_, afterimage_vulkan::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the system has no thread left.
    pub fn on_thread(mut self, arena: ArenaConfig) -> Result<InProcessLink> {
        let slots = Box::new(self.slot_factory());
        let (link, mut receiver) = in_process::pair(arena, self.device_info(), slots);
        let link = link.with_captures(self.capture_requests());
        let serve = move || in_process::serve(&mut receiver, &mut self);
        let thread = Builder::new().name("afterimage".into()).spawn(serve).map_err(Error::Thread)?;
        Ok(link.with_attached(Joined(Some(thread))))
    }
}
