//! The vector side of the translation: hand-written programs against what AMD's "Sea Islands Instruction Set Architecture" says that
//! each instruction does, written down here a second time.

mod arithmetic;
mod buffers;
mod images;
mod interpolation;
mod lanes;
mod machine;
mod reference;
mod run_time;
mod share;
mod stages;
