//! Values of a guest's enumerations beside those of the host: one row says both, and translation and its inverse derive from it.

/// A value of a guest's enumeration that the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The guest's value.
    pub value: u32,
    /// The guest's name for it.
    pub name: &'static str,
    /// The number of the host's value.
    pub host: u8,
}

/// Declares `of`, from a guest's value to the host's, and `ROWS`, for the way back: to be called in a module of the enumeration's
/// name. A row is `value NAME [Variant]`; those whose brackets are empty have nothing of the host's. Of several values for which the
/// host has the same, the first is the plainest.
#[macro_export]
macro_rules! pairs {
    ($host:ident: $( $value:tt $name:ident [$($variant:ident)?] )*) => {
        /// What the host has for a value; none for those that are not in the table, or that the host does not have by themselves.
        #[must_use]
        #[inline]
        pub const fn of(value: u32) -> Option<$crate::$host> {
            match value {
                $( $( $value => Some($crate::$host::$variant), )? )*
                _ => None,
            }
        }

        /// The values that the host has.
        pub const ROWS: &[$crate::Pair] = &[ $( $( $crate::Pair {
            value: $value, name: stringify!($name), host: $crate::$host::$variant as u8,
        }, )? )* ];
    };
}

#[cfg(test)]
mod tests {
    use super::Pair;
    use crate::Cull;

    mod winding {
        #![allow(unreachable_pub, reason = "tables are public where they are declared")]
        crate::pairs!(Cull: 1 NONE [None] 2 CW [Front] 3 CCW [Back] 4 BOTH [] 5 CCW_TOO [Back]);
    }

    #[test]
    fn rows_go_both_ways() {
        use winding::{ROWS, of};
        assert_eq!((of(2), of(5), of(4), of(9)), (Some(Cull::Front), Some(Cull::Back), None, None));
        assert_eq!(ROWS.len(), 4);
        assert_eq!(ROWS[2], Pair { value: 3, name: "CCW", host: Cull::Back as u8 });
    }
}
