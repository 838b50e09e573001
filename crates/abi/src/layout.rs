//! Tables of the registers in a constant bank.

/// Declares the registers of a constant bank whose layout is ours. A row is `Name = first + stride x count;`: `count` elements,
/// `stride` registers apart.
#[macro_export]
macro_rules! register_layout {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $first:literal + $stride:literal x $count:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every entry with its first register, the registers of one element, and the number of elements.
            pub const TABLE: &'static [(Self, u16, u16, u16)] = &[$((Self::$variant, $first, $stride, $count)),*];

            /// Registers in the bank.
            pub const COUNT: u16 = {
                let mut count = 0;
                $(if $first + $stride * $count > count { count = $first + $stride * $count; })*
                count
            };

            /// First register of the entry.
            pub const fn register(self) -> u16 {
                match self { $(Self::$variant => $first),* }
            }

            /// Number of elements of the entry.
            pub const fn elements(self) -> u16 {
                match self { $(Self::$variant => $count),* }
            }

            /// All registers of the entry.
            pub const fn range(self) -> std::ops::Range<usize> {
                match self { $(Self::$variant => $first..$first + $stride * $count),* }
            }

            /// First register of element `index` of the entry; the last element if there are not that many.
            pub const fn element(self, index: u16) -> u16 {
                match self { $(Self::$variant => $first + $stride * if index < $count { index } else { $count - 1 }),* }
            }
        }
    };
}
