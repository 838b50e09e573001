//! Functions of a device that programs get from the layer, if they use the extension.
//!
//! * [`commands`], [`own`], [`passes`], [`feedback`], [`draws`], [`sets`]: commands that can stand in a render pass.
//! * [`through`]: those of which nothing is kept.
//! * [`buffers`]: command buffers and their pools.
//! * [`resources`]: buffers and memory.
//! * [`shaders`]: layouts, shader modules, pipelines.
//! * [`queries`]: queries of transform feedback.
//! * [`order`]: what else has the extension's stages and accesses.

mod buffers;
mod commands;
mod draws;
mod feedback;
mod order;
mod own;
mod passes;
mod queries;
mod resources;
mod sets;
mod shaders;
mod through;

use std::ffi::CStr;

/// A function that the layer answers, and its name.
type Answer = (&'static CStr, *const ());

/// The layer's function of a name.
pub(crate) fn answer(name: &CStr) -> Option<*const ()> {
    let lists = [
        buffers::ANSWERS,
        resources::ANSWERS,
        shaders::ANSWERS,
        sets::ANSWERS,
        queries::ANSWERS,
        order::ANSWERS,
        through::ANSWERS,
    ];
    let found = lists.into_iter().flatten().find(|row| row.0 == name).map(|row| row.1);
    found.or_else(|| commands::answer(name))
}

/// Likewise, for a program that asks of an instance: on its devices the layer may do nothing.
pub(crate) fn answer_any(name: &CStr) -> Option<*const ()> {
    commands::answer_any(name).or_else(|| answer(name))
}

/// Whether a function is the extension's, and there whatever the driver has.
pub(crate) fn is_own(name: &CStr) -> bool {
    feedback::NAMES.contains(&name)
}

/// Calls the function of that name of what stands below a device that the layer does nothing for.
macro_rules! pass_on {
    (@find $handle:expr, $name:literal: $ty:ty) => {
        match $crate::devices::Device::next_of(ash::vk::Handle::as_raw($handle), $name) {
            Some(found) => std::mem::transmute::<unsafe extern "system" fn(), $ty>(found),
            None => return,
        }
    };
    (@find $handle:expr, $name:literal: $ty:ty, $otherwise:expr) => {
        match $crate::devices::Device::next_of(ash::vk::Handle::as_raw($handle), $name) {
            Some(found) => std::mem::transmute::<unsafe extern "system" fn(), $ty>(found),
            None => return $otherwise,
        }
    };
    ($handle:expr, $name:literal: $ty:ty, ($($argument:expr),*), $otherwise:expr) => {
        match $crate::devices::Device::next_of(ash::vk::Handle::as_raw($handle), $name) {
            Some(found) => std::mem::transmute::<unsafe extern "system" fn(), $ty>(found)($($argument),*),
            None => $otherwise,
        }
    };
}

use pass_on;

/// The values that a program gives.
///
/// # Safety
/// `from` is null or points to so many values.
unsafe fn list<'a, T>(from: *const T, count: u32) -> &'a [T] {
    // SAFETY: as the caller says.
    if from.is_null() || count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(from, count as usize) } }
}
