//! The live viewer.
fn main() {}
