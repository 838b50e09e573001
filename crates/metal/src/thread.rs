//! A renderer with a thread of its own, in the process of whoever is drawn for.

use crate::renderer::Renderer;
use afterimage_ipc::in_process::{self, InProcessLink};
use afterimage_ipc::{ArenaConfig, HeapSlots};
use afterimage_metal_calls::Device;
use afterimage_stream::{Arena, Executor, Reply, StreamError};
use std::any::Any;
use std::io;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// A thread that is waited for.
struct Joined(Option<JoinHandle<()>>);

impl Drop for Joined {
    fn drop(&mut self) {
        if self.0.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the render thread panicked");
        }
    }
}

/// What stands around each piece of a thread's work: on Macs a pool of autoreleased objects.
pub type Around = fn(&mut dyn FnMut());

/// A renderer whose work has something around it.
struct Within<D: Device> {
    renderer: Renderer<D>,
    around: Around,
}

impl<D: Device> Executor for Within<D> {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        let (renderer, mut executed) = (&mut self.renderer, Ok(()));
        (self.around)(&mut || executed = renderer.execute(batch, arena, replies));
        executed
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        let renderer = &mut self.renderer;
        (self.around)(&mut || renderer.poll(replies));
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        let (renderer, mut there) = (&mut self.renderer, false);
        (self.around)(&mut || there = renderer.wait(timeout));
        there
    }
}

impl<D: Device> Renderer<D> {
    /// Has a thread draw what comes through the link that is returned. When the link is dropped, that waits until everything is drawn, and
    /// pictures, captures and pipelines are written that are asked for. `kept` is kept as long as the link.
    ///
    /// # Errors
    /// Where the system has no thread left.
    pub fn on_thread(self, arena: ArenaConfig, around: Around, kept: impl Any + Send) -> io::Result<InProcessLink> {
        let (link, mut receiver) = in_process::pair(arena, self.device_info(), Box::new(HeapSlots));
        let link = link.with_captures(self.capture_requests());
        let serve = move || {
            let mut within = Within { renderer: self, around };
            in_process::serve(&mut receiver, &mut within);
            around(&mut || {
                within.renderer.finish_files();
                if let Err(error) = within.renderer.write_pipelines() {
                    tracing::warn!("pipelines are not kept: {error}");
                }
            });
        };
        let thread = Builder::new().name("afterimage".into()).spawn(serve)?;
        Ok(link.with_attached((Joined(Some(thread)), kept)))
    }
}
