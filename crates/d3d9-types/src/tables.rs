//! What the three table macros expand to.

/// A field of a [`Struct`].
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Type, in Rust's spelling.
    pub ty: &'static str,
    /// Offset in bytes in this build.
    pub offset: usize,
}

/// A published structure.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Whether it is packed to 4 bytes in 32-bit x86 builds, as the published headers have it.
    pub packed4_on_x86: bool,
    /// Size in bytes in this build.
    pub size: usize,
    /// Fields in order.
    pub fields: &'static [Field],
}

/// A published enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Enum {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Names and values in order.
    pub items: &'static [(&'static str, u32)],
}

/// A published constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Name.
    pub name: &'static str,
    /// Value; results keep their bits.
    pub value: u32,
    /// Whether it is an `HRESULT`.
    pub result: bool,
}

/// The name of `value` in the enumeration called `enumeration`, if both exist.
pub fn name_of(enumeration: &str, value: u32) -> Option<&'static str> {
    let table = crate::ENUMS.iter().find(|e| e.name == enumeration)?;
    table.items.iter().find(|item| item.1 == value).map(|item| item.0)
}

/// Declares the structures and [`crate::STRUCTS`].
macro_rules! structs {
    ($(#[doc = $doc:literal] $name:ident $(: $packed:ident)? { $($field:ident: $ty:ty),* $(,)? })*) => {
        $(crate::tables::structs!(@one $doc, [$($packed)?] $name { $($field: $ty,)* });)*
        /// Every structure of this crate.
        pub static STRUCTS: &[crate::Struct] = &[$(crate::Struct {
            name: stringify!($name),
            doc: $doc.trim_ascii(),
            packed4_on_x86: crate::tables::structs!(@packed $($packed)?),
            size: size_of::<$name>(),
            fields: &[$(crate::Field {
                name: stringify!($field),
                ty: stringify!($ty),
                offset: core::mem::offset_of!($name, $field),
            }),*],
        }),*];
    };
    (@one $doc:literal, [] $name:ident { $($field:ident: $ty:ty,)* }) => {
        #[doc = $doc]
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable)]
        pub struct $name { $(#[doc = concat!("`", stringify!($field), "`, as published.")] pub $field: $ty),* }
        crate::tables::structs!(@default $name);
    };
    (@one $doc:literal, [packed4_on_x86] $name:ident { $($field:ident: $ty:ty,)* }) => {
        #[doc = $doc]
        #[cfg_attr(target_arch = "x86", repr(C, packed(4)))]
        #[cfg_attr(not(target_arch = "x86"), repr(C))]
        #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable)]
        pub struct $name { $(#[doc = concat!("`", stringify!($field), "`, as published.")] pub $field: $ty),* }
        crate::tables::structs!(@default $name);
    };
    (@default $name:ident) => {
        impl Default for $name {
            fn default() -> Self {
                bytemuck::Zeroable::zeroed()
            }
        }
    };
    (@packed) => { false };
    (@packed packed4_on_x86) => { true };
}
pub(crate) use structs;

/// Declares the enumerations and [`crate::ENUMS`]; of those that the host has too, [`pairs`](afterimage_abi::pairs) in [`crate::host`].
macro_rules! enums {
    ($(#[doc = $doc:literal] $name:ident $(-> $host:ident)? {
        $($item:ident = $value:expr $(=> $variant:ident)?),* $(,)?
    })*) => {
        $(
            #[doc = $doc]
            pub type $name = u32;
            $(#[doc = concat!("`", stringify!($item), "` of [`", stringify!($name), "`].")] pub const $item: $name = $value;)*
        )*
        /// Every enumeration of this crate.
        pub static ENUMS: &[crate::Enum] = &[$(crate::Enum {
            name: stringify!($name),
            doc: $doc.trim_ascii(),
            items: &[$((stringify!($item), $value)),*],
        }),*];
        /// What the host has for the values of enumerations: `host::D3DBLEND::of(D3DBLEND_ONE)`.
        pub mod host {
            $(crate::tables::enums!(@host $name [$($host)?] $($item [$($variant)?])*);)*
        }
    };
    (@host $name:ident [] $($item:ident [])*) => {};
    (@host $name:ident [$host:ident] $($item:ident [$($variant:ident)?])*) => {
        #[doc = concat!("[`", stringify!($name), "`](type@crate::", stringify!($name), ") in the host.")]
        pub mod $name {
            use crate::*;
            afterimage_abi::pairs!($host: $($item $item [$($variant)?])*);
        }
    };
}
pub(crate) use enums;

/// Declares the constants and [`crate::CONSTANTS`].
macro_rules! constants {
    ($(#[doc = $doc:literal] $ty:ident { $($item:ident = $value:literal),* $(,)? })*) => {
        $($(#[doc = concat!("`", stringify!($item), "`:", $doc)] pub const $item: $ty = $value as u32 as $ty;)*)*
        /// Every constant of this crate, in groups: what the group is and its members.
        pub static CONSTANTS: &[(&str, &[crate::Constant])] = &[$(($doc.trim_ascii(), &[$(crate::Constant {
            name: stringify!($item),
            value: $value as u32,
            result: crate::tables::constants!(@result $ty),
        }),*])),*];
    };
    (@result u32) => { false };
    (@result i32) => { true };
}
pub(crate) use constants;
