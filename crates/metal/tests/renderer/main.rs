//! What the renderer draws on the software Metal: the tests of the renderer on Vulkan, which say what must be in the pixels, as far as
//! Metal and this renderer have what they ask for; and how it does it. One program, since each would compile the renderer on its device.

mod calls;
mod captured;
#[path = "../../../vulkan/tests/renderer/clear.rs"]
mod clear;
mod common;
#[path = "../../../vulkan/tests/renderer/compute.rs"]
mod compute;
mod damaged;
#[path = "../../../vulkan/tests/renderer/depth_texels.rs"]
mod depth_texels;
#[path = "../../../vulkan/tests/renderer/draw.rs"]
mod draw;
#[path = "../../../vulkan/tests/renderer/feedback.rs"]
mod feedback;
#[path = "../../../vulkan/tests/renderer/feedback_inputs.rs"]
mod feedback_inputs;
#[path = "../../../vulkan/tests/renderer/formats.rs"]
mod formats;
#[path = "../../../vulkan/tests/renderer/geometry.rs"]
mod geometry;
#[path = "../../../vulkan/tests/renderer/guest_code.rs"]
mod guest_code;
#[path = "../../../vulkan/tests/renderer/keyframes.rs"]
mod keyframes;
mod metal;
mod mishaps;
mod on_paper;
#[path = "../../../vulkan/tests/renderer/overlay.rs"]
mod overlay;
mod passes;
#[path = "../../../vulkan/tests/renderer/pixel_interface.rs"]
mod pixel_interface;
#[path = "../../../vulkan/tests/renderer/pixel_operations.rs"]
mod pixel_operations;
#[path = "../../../vulkan/tests/renderer/raster.rs"]
mod raster;
#[path = "../../../vulkan/tests/renderer/samplers.rs"]
mod samplers;
mod shown;
#[path = "../../../vulkan/tests/renderer/state.rs"]
mod state;
#[path = "../../../vulkan/tests/renderer/step.rs"]
mod step;
#[path = "../../../vulkan/tests/renderer/texture.rs"]
mod texture;
mod tracked;
