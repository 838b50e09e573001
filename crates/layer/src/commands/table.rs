//! Commands of what stands below.

use super::rows::rows;
use ash::vk;
use std::ffi::{CStr, c_void};

/// The type of a parameter: a value in parentheses, or an array with its length.
macro_rules! ty {
    (($ty:ty)) => {
        $ty
    };
    ([$ty:ty; $count:expr]) => {
        *const $ty
    };
}

pub(crate) use ty;

macro_rules! table {
    (
        plain { $( $field:ident: $($symbol:literal)|+ ($($name:ident: $kind:tt),*) $(=> $noted:expr)?; )* }
        own { $( $own_field:ident: $($own_symbol:literal)|+ ($($own_name:ident: $own_ty:ty),*) = $own:path; )* }
    ) => {
        /// Commands of what stands below.
        #[derive(Clone, Copy)]
        #[allow(dead_code, reason = "what is the extension's own is not asked for below")]
        pub(crate) struct Commands {
            $( pub(crate) $field: Option<unsafe extern "system" fn(vk::CommandBuffer, $(ty!($kind)),*)>, )*
            $( pub(crate) $own_field: Option<unsafe extern "system" fn(vk::CommandBuffer, $($own_ty),*)>, )*
        }

        impl Commands {
            /// Asks for each command by its names, the core's first.
            ///
            /// # Safety
            /// What is found under a name is a function of that name.
            pub(crate) unsafe fn load(find: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                let first = |symbols: &[&CStr]| symbols.iter().find_map(|symbol| find(symbol));
                // SAFETY: functions of a name have its type, which the row has from the registry.
                unsafe {
                    Self {
                        $( $field: std::mem::transmute::<
                            vk::PFN_vkVoidFunction,
                            Option<unsafe extern "system" fn(vk::CommandBuffer, $(ty!($kind)),*)>,
                        >(first(&[$($symbol),+])), )*
                        $( $own_field: std::mem::transmute::<
                            vk::PFN_vkVoidFunction,
                            Option<unsafe extern "system" fn(vk::CommandBuffer, $($own_ty),*)>,
                        >(first(&[$($own_symbol),+])), )*
                    }
                }
            }
        }
    };
}

rows!(table);
