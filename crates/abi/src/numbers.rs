//! Enumerations whose values travel as their number.

/// Declares an enumeration of one byte: each value has its number, and numbers that stand for none are told apart.
#[macro_export]
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $( $(#[$vdoc:meta])* $variant:ident = $number:literal ),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $( $(#[$vdoc])* $variant = $number ),* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[ $( Self::$variant ),* ];

            /// The value with this number.
            #[must_use]
            #[inline]
            pub const fn from_bits(bits: u8) -> Option<Self> {
                match bits { $( $number => Some(Self::$variant), )* _ => None }
            }

            /// The value with this number, or the first one: for fields that have been checked.
            #[must_use]
            #[inline]
            pub const fn of(bits: u8) -> Self {
                match Self::from_bits(bits) { Some(value) => value, None => Self::ALL[0] }
            }
        }
    };
}
