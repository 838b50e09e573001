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
            /// Asks for each command by its names, those of extensions first: where a program has enabled the extension, all that stands
            /// between here and the driver knows that name, and the core's may be newer than a layer below, which would hand out the
            /// driver's function past itself.
            ///
            /// # Safety
            /// What is found under a name is a function of that name.
            pub(crate) unsafe fn load(find: &dyn Fn(&CStr) -> vk::PFN_vkVoidFunction) -> Self {
                let first = |symbols: &[&CStr]| symbols.iter().rev().find_map(|symbol| find(symbol));
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

#[cfg(test)]
mod tests {
    use super::Commands;
    use std::ffi::CStr;

    unsafe extern "system" fn the_extensions() {}

    unsafe extern "system" fn the_cores() {}

    #[test]
    fn what_an_extension_names_is_asked_for_by_that_name() {
        let has = |extension: bool| {
            move |name: &CStr| match name.to_str() {
                Ok("vkCmdPushDescriptorSetKHR") => extension.then_some(the_extensions as unsafe extern "system" fn()),
                Ok("vkCmdPushDescriptorSet") => Some(the_cores as unsafe extern "system" fn()),
                _ => None,
            }
        };
        let found = |extension| {
            // SAFETY: nothing that is found is called.
            let commands = unsafe { Commands::load(&has(extension)) };
            commands.push_descriptor_set.map(|command| command as *const ())
        };
        assert_eq!(found(true), Some(the_extensions as *const ()));
        assert_eq!(found(false), Some(the_cores as *const ()));
    }
}
