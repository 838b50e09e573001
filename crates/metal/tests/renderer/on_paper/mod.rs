//! The streams of the Vulkan renderer's tests, for a device that notes what is drawn with.
#![allow(dead_code, unreachable_pub, reason = "it has more than this test uses")]

pub use crate::common::*;
#[allow(clippy::duplicate_mod, reason = "what it creates is created on another guest")]
#[path = "../../../../vulkan/tests/common/code.rs"]
pub mod code;
#[path = "../../../../vulkan/tests/common/streams.rs"]
pub mod streams;

pub type Guest = GuestOn<recorder::Recorder>;
