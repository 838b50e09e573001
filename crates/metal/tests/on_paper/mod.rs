//! The streams of the Vulkan renderer's tests, for a device that notes what is drawn with.
#![allow(dead_code, unreachable_pub, reason = "it has more than this test uses")]

pub use crate::common::*;
#[path = "../../../vulkan/tests/common/code.rs"]
pub mod code;
#[path = "../../../vulkan/tests/common/streams.rs"]
pub mod streams;

pub type Guest = GuestOn<recorder::Recorder>;
