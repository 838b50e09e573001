//! What a row of the interface table expands to: a vtable slot, a trait method whose default says "not done yet", and an
//! entry of [`super::INTERFACES`].

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a method and keeps a panic from crossing into the program.
pub fn guard<R>(method: &'static str, failed: R, call: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(_) => {
            tracing::error!("{method} panicked; it fails instead");
            failed
        }
    }
}

/// The value that a failing method returns: `failed!(HRESULT)` and so on.
macro_rules! failed {
    (HRESULT) => {
        afterimage_d3d9_types::D3DERR_INVALIDCALL
    };
    ($ty:ident) => {
        <$ty as Default>::default()
    };
    () => {
        ()
    };
}
pub(crate) use failed;

/// See the head of `interfaces.rs` for the grammar.
macro_rules! interfaces {
    ($(
        #[doc = $doc:literal]
        $name:ident: $($base:ident)? = $iid:literal {
            $(fn $method:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ident)?;)*
        }
    )*) => {
        $(pastey::paste! {
            #[doc = $doc]
            #[repr(C)]
            #[derive(Debug)]
            pub struct $name {
                /// The methods.
                pub vtable: *const [<$name Vtable>],
            }

            impl $name {
                /// The interface's identifier.
                pub const IID: GUID = crate::abi::guid($iid);
            }

            #[doc = concat!("Methods of [`", stringify!($name), "`] in the order of the ABI.")]
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct [<$name Vtable>] {
                $(#[doc = concat!("Those of [`", stringify!($base), "`].")] pub base: [<$base Vtable>],)?
                $(
                    #[doc = concat!("`", stringify!($name), "::", stringify!($method), "`.")]
                    pub $method: unsafe extern "system" fn(*mut c_void $(, $ty)*) $(-> $ret)?,
                )*
            }

            #[doc = concat!("What an object behind [`", stringify!($name), "`] does.")]
            pub trait [<$name Methods>] $(: [<$base Methods>])? {
                $(
                    #[doc = concat!("`", stringify!($name), "::", stringify!($method), "`.")]
                    fn $method(&self $(, $arg: $ty)*) $(-> $ret)? {
                        crate::abi::log_once!(concat!(stringify!($name), "::", stringify!($method), " is not done yet; it fails"));
                        $(crate::abi::pointers::Clear::clear($arg);)*
                        crate::abi::macros::failed!($($ret)?)
                    }
                )*
            }

            impl [<$name Vtable>] {
                /// The vtable of objects of type `T`, which start with a pointer to it.
                pub const fn of<T: [<$name Methods>]>() -> Self {
                    Self {
                        $(base: [<$base Vtable>]::of::<T>(),)?
                        $($method: {
                            unsafe extern "system" fn thunk<T: [<$name Methods>]>(this: *mut c_void $(, $arg: $ty)*) $(-> $ret)? {
                                crate::abi::macros::guard(
                                    concat!(stringify!($name), "::", stringify!($method)),
                                    crate::abi::macros::failed!($($ret)?),
                                    || {
                                        // SAFETY: this slot is only in vtables of `T`, and the program holds a reference.
                                        let this = unsafe { &*this.cast::<T>() };
                                        <T as [<$name Methods>]>::$method(this $(, $arg)*)
                                    },
                                )
                            }
                            thunk::<T>
                        },)*
                    }
                }
            }
        })*

        /// Every interface, bases before those that extend them.
        pub static INTERFACES: &[crate::abi::InterfaceInfo] = &[$(crate::abi::InterfaceInfo {
            name: stringify!($name),
            doc: $doc.trim_ascii(),
            base: concat!($(stringify!($base))?),
            iid: $name::IID,
            methods: &[$(crate::abi::MethodInfo {
                name: stringify!($method),
                result: concat!($(stringify!($ret))?),
                parameters: &[$((stringify!($arg), stringify!($ty))),*],
            }),*],
        }),*];
    };
}
pub(crate) use interfaces;
