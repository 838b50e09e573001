//! Programs in C and C++, compiled against the headers and the shared library as a user's are, and run.
#![cfg(all(unix, target_arch = "x86_64"))]

mod compile;
mod console;
mod header;
mod misuse;
mod player;
#[path = "../../../gnm/examples/water/programs.rs"]
mod programs;
mod scanout;
#[path = "../../../gnm/examples/water/scene.rs"]
mod scene;
#[path = "../../../gnm/examples/water/shapes.rs"]
mod shapes;
mod symbols;
mod triangle;
