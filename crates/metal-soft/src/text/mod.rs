//! Text in Metal's language: what it declares, what the host has to bind for a function of it, and the C++ that calls that.

mod interface;
mod lex;
mod parse;
mod wrap;

pub(crate) use interface::{
    Access, At, BufferArgument, Interface, Interpolation, Scalar, Shape, Stage, TextureArgument,
};
pub(crate) use parse::parse;
pub(crate) use wrap::wrap;
