//! Metal itself behind the calls that the renderer makes of it: [`Device`](afterimage_metal_calls::Device) and
//! [`Queue`](afterimage_metal_calls::Queue), over `objc2-metal`.
//! Elsewhere than on macOS there is nothing in here (but the checks, in tests).
//!
//! Thin: each method is the call that its documentation names. What stands before the calls is `check`, which knows nothing of
//! Objective-C:
//! * whatever has a length or an index is inside of what it points into: the traits are safe to call, and a wrong range is an error or a
//!   fault of theirs, and none of Metal's;
//! * what Metal checks itself, also without its validation layer, and ends the process for: textures, pipelines, passes.
//!
//! What only the validation layer (`MTL_DEBUG_LAYER=1`) finds, and takes more than comparing numbers (whether shaders have all that they
//! read), is not checked here: the software Metal of tests finds it, and so does that layer on a Mac. Vertices and what shaders reach by
//! address are read by the GPU without a look at where buffers end.
//!
//! # Threads and pools
//! Objects may be used by any thread; a queue by one at a time. Whatever in here asks Metal for autoreleased objects has a pool of its own
//! around it. Metal makes some for itself, too, in calls that give none (with its validation layer, in each): a thread that encodes runs
//! each of its frames in a `pool`.
//!
//! # Memory
//! Where GPU and CPU have one memory, [`StorageMode::Shared`](afterimage_metal_calls::StorageMode::Shared) is shared. On other Macs such a
//! buffer is managed: two copies. Writes of the CPU are told to Metal at once. What the GPU wrote is fetched at the end of the command
//! buffer: of buffers that a blit or a visibility count went into, that [`use_buffer`](afterimage_metal_calls::Queue::use_buffer) names for
//! writing, or that were bound where a pipeline says that it writes. All of such a buffer is fetched, so a write to it waits until that is done.

#[cfg(any(target_os = "macos", test))]
mod check;

#[cfg(target_os = "macos")]
mod archive;
#[cfg(target_os = "macos")]
mod convert;
#[cfg(target_os = "macos")]
mod device;
#[cfg(any(target_os = "macos", test))]
#[cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "only its tests are here"))]
mod done;
#[cfg(target_os = "macos")]
mod encode;
#[cfg(target_os = "macos")]
mod facts;
#[cfg(target_os = "macos")]
mod layer;
#[cfg(target_os = "macos")]
mod objects;
#[cfg(target_os = "macos")]
mod passes;
#[cfg(target_os = "macos")]
mod pipelines;
#[cfg(target_os = "macos")]
mod queue;
#[cfg(target_os = "macos")]
mod refuse;

#[cfg(target_os = "macos")]
pub use {
    archive::Archive,
    layer::{Drawable, Layer},
    objects::{Buffer, ComputePipeline, DepthStencil, Device, Function, RenderPipeline, Sampler, Texture},
    queue::Queue,
};

/// Runs something in an autorelease pool.
#[cfg(target_os = "macos")]
pub fn pool<T>(run: impl FnOnce() -> T) -> T {
    objc2::rc::autoreleasepool(|_| run())
}
