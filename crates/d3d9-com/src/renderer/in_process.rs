//! Rendering in the program's own process, on a thread of its own.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use afterimage_ipc::ArenaConfig;
use afterimage_ipc::in_process;
use afterimage_stream::{Arena, Executor, Link, Reply, StreamError};
use afterimage_vulkan::{Gpu, Options, Renderer};

use super::asked::Requests;
use super::{OpenError, ending, surfaces};
use crate::captures;

/// A renderer that sees to it that this library hears of the process's end before what drivers and layers made while it drew is taken
/// down: behind the first batches, then ever less often.
struct Listening {
    renderer: Renderer,
    batches: u32,
}

impl Executor for Listening {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        let executed = self.renderer.execute(batch, arena, replies);
        self.batches = self.batches.saturating_add(1);
        if self.batches <= 8 || self.batches.is_power_of_two() {
            ending::listen();
        }
        executed
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        self.renderer.poll(replies);
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.renderer.wait(timeout)
    }
}

/// A thread that is waited for.
struct Joined(Option<JoinHandle<()>>);

impl Drop for Joined {
    fn drop(&mut self) {
        if self.0.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the render thread panicked");
        }
    }
}

/// Opens the Vulkan device and starts the render thread, which ends with the link: dropping that waits until the last frame is drawn, and
/// written where pictures or a capture are asked for.
///
/// # Errors
/// No Vulkan driver, or none that will do.
pub(super) fn open() -> Result<Box<dyn Link>, OpenError> {
    let options = Options::from_env();
    let mut renderer = Renderer::on(Gpu::common(&options)?, options)?;
    renderer.set_surface_factory(Some(surfaces::factory()));
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::from_env(), renderer.device_info(), slots);
    let link = link.with_captures(renderer.capture_requests());
    let asked = Arc::new(Requests { capture: renderer.capture_requests(), picture: renderer.picture_requests() });
    let draws = ending::draws(link.ending());
    let thread = std::thread::Builder::new()
        .name("afterimage".into())
        .spawn(move || {
            let mut renderer = Listening { renderer, batches: 0 };
            in_process::serve(&mut receiver, &mut renderer);
            drop((renderer, receiver, draws));
        })
        .map_err(OpenError::Thread)?;
    captures::add(Arc::clone(&asked));
    Ok(Box::new(link.with_attached((Joined(Some(thread)), asked))))
}
