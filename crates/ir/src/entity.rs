//! Entity ids: small indices into the tables of a [`Module`](crate::Module). Their `Display` is the text format.

use std::fmt;

macro_rules! entities {
    ($($(#[$doc:meta])+ $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The letters before the number in the text form.
            pub const PREFIX: &'static str = $prefix;

            /// The id of row `index` of its table.
            pub fn new(index: usize) -> $name {
                $name(index as u32)
            }

            /// Row number in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entities! {
    /// An SSA value: the result of an instruction or a parameter of a loop body.
    Value "v";
    /// An instruction. Not part of the text form.
    Inst "inst";
    /// A region: a list of instructions that ends with a terminator. Not part of the text form.
    Region "region";
    /// A function-local variable, as front ends use for guest registers.
    Var "r";
    /// A declared input of the stage.
    Input "in";
    /// A declared output of the stage.
    Output "out";
    /// A declared bank of 16-byte constant registers.
    Bank "c";
    /// A declared texture and its sampler.
    Texture "t";
    /// A declared specialisation constant.
    Spec "s";
    /// A declared storage image.
    Image "i";
}
