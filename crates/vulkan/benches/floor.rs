//! What draws cost in plain Vulkan: those of `samples/bench_d3d9.cpp`, case by case, written by hand for the driver.
//!
//! It is the floor that `cargo xtask bench d3d9 --floor` compares everybody with. One thread records, nothing of ours is between it
//! and the driver, and every case takes the technique that costs least: data in mapped rings whose addresses are pushed, textures by
//! number, dynamic states, and with `--merged` runs of draws in one command. The program needs only a Vulkan loader, so that it can
//! be copied to a machine without Rust.

#[path = "floor/mod.rs"]
mod floor;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match floor::Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{why}\n\n{}", floor::USAGE);
            return ExitCode::from(2);
        }
    };
    match floor::run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
