//! Commands of [the rows](crate::commands::rows): noted, and passed on or kept.

use super::{draws, feedback, list, own, passes, queries, sets};
use crate::commands::list::Array;
use crate::commands::rows::rows;
use crate::commands::table::{Commands, ty};
use crate::devices::Device;
use crate::record::{Numbers, Recording};
use ash::vk::{self, Handle as _};
use std::ffi::{CStr, c_void};

/// A parameter as it is kept.
macro_rules! kept {
    (($ty:ty)) => {
        $ty
    };
    ([$ty:ty; $count:expr]) => {
        Array<$ty>
    };
}

/// How it is kept.
macro_rules! keep {
    ($open:ident, $value:ident, ($ty:ty)) => {
        $value
    };
    ($open:ident, $value:ident, [$ty:ty; $count:expr]) => {
        $open.array($value, $count as usize)
    };
}

/// How it is given.
macro_rules! give {
    ($parameters:ident, $value:expr, ($ty:ty)) => {
        $value
    };
    ($parameters:ident, $value:expr, [$ty:ty; $count:expr]) => {
        $value.pointer($parameters)
    };
}

fn note(recording: &mut Recording, noted: impl FnOnce(&mut Recording)) {
    noted(recording);
}

macro_rules! commands {
    (
        plain { $( $field:ident: $($symbol:literal)|+ ($($name:ident: $kind:tt),*) $(=> $noted:expr)?; )* }
        own { $( $own_field:ident: $($own_symbol:literal)|+ ($($own_name:ident: $own_ty:ty),*) = $own:path; )* }
    ) => {
        $(
            mod $field {
                use super::*;

                #[derive(Clone, Copy)]
                struct Kept {
                    $( $name: kept!($kind), )*
                }

                #[allow(unused_variables, reason = "not every command has parameters")]
                unsafe fn replay(commands: &Commands, buffer: vk::CommandBuffer, parameters: *const u64) {
                    // SAFETY: the parameters are those that were kept.
                    unsafe {
                        let kept = parameters.cast::<Kept>().read();
                        if let Some(command) = commands.$field {
                            command(buffer, $( give!(parameters, kept.$name, $kind) ),*);
                        }
                    }
                }

                #[allow(unused_mut, clippy::too_many_arguments, reason = "as Vulkan has them")]
                pub(super) unsafe extern "system" fn command(buffer: vk::CommandBuffer, $($name: ty!($kind)),*) {
                    // SAFETY: the program's arguments are as the specification of the command has them.
                    unsafe {
                        let Some(recording) = Recording::of(buffer) else {
                            let find = |name: &CStr| Device::next_of(buffer.as_raw(), name);
                            let Some(found) = [$($symbol),+].into_iter().rev().find_map(find) else { return };
                            let command = std::mem::transmute::<
                                unsafe extern "system" fn(),
                                unsafe extern "system" fn(vk::CommandBuffer, $(ty!($kind)),*),
                            >(found);
                            return command(buffer, $($name),*);
                        };
                        $( note(recording, $noted); )?
                        if let Some(list) = recording.kept() {
                            let mut open = list.open(size_of::<Kept>());
                            let kept = Kept { $( $name: keep!(open, $name, $kind), )* };
                            open.close(kept, replay);
                        } else if let Some(command) = recording.commands().$field {
                            command(buffer, $($name),*);
                        }
                    }
                }
            }
        )*

        $(
            mod $own_field {
                use super::*;

                /// For a command buffer of any device of the instance.
                #[allow(clippy::too_many_arguments, reason = "as Vulkan has them")]
                pub(super) unsafe extern "system" fn any(buffer: vk::CommandBuffer, $($own_name: $own_ty),*) {
                    // SAFETY: as above.
                    unsafe {
                        if Recording::of(buffer).is_some() {
                            return $own(buffer, $($own_name),*);
                        }
                        let find = |name: &CStr| Device::next_of(buffer.as_raw(), name);
                        let Some(found) = [$($own_symbol),+].into_iter().rev().find_map(find) else { return };
                        let command = std::mem::transmute::<
                            unsafe extern "system" fn(),
                            unsafe extern "system" fn(vk::CommandBuffer, $($own_ty),*),
                        >(found);
                        command(buffer, $($own_name),*);
                    }
                }
            }
        )*

        /// The layer's function of a name, for a device whose command buffers are all known.
        pub(super) fn answer(name: &CStr) -> Option<*const ()> {
            let answers: &[super::Answer] = &[
                $( $( ($symbol, $field::command as *const ()), )+ )*
                $( $( ($own_symbol, $own as *const ()), )+ )*
            ];
            answers.iter().find(|row| row.0 == name).map(|row| row.1)
        }

        /// Likewise, for any device.
        pub(super) fn answer_any(name: &CStr) -> Option<*const ()> {
            let answers: &[super::Answer] = &[$( $( ($own_symbol, $own_field::any as *const ()), )+ )*];
            answers.iter().find(|row| row.0 == name).map(|row| row.1).or_else(|| answer(name))
        }
    };
}

rows!(commands);
