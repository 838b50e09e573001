//! `cargo xtask bench gnm`: what the benchmarks of the PlayStation 4's guest say, in the units that people ask for.

use std::path::Path;

use crate::bench::figures::{self, Figure, GIGABYTES, MILLIONS, ONES, figure};

/// The benchmarks of the crates that belong to it.
pub(crate) const BENCHES: [&str; 5] = ["gnm", "gnm_draws", "gnm_shaders", "gnm_tiling", "shader_gcn"];

const FIGURES: &[Figure] = &[
    figure("gnm", "words run with state tracking, 14 registers a packet", "M words/s", MILLIONS),
    figure("gnm", "words run with state tracking, 6 registers a packet", "M words/s", MILLIONS),
    figure("gnm", "words run with state tracking, 1 register a packet", "M words/s", MILLIONS),
    figure("gnm", "words run with state tracking, standard packets", "M words/s", MILLIONS),
    figure("gnm", "words run with state tracking, private packets", "M words/s", MILLIONS),
    figure("gnm_draws", "draws, standard packets, the same state", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, standard packets, new constants", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, standard packets, new constants and states", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, private packets, new constants and states", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, new constants and a table of 16", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, new constants and a table of 256", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, new constants and a table of 4096", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws with a page of constants each, all of which change", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, complete, the same state", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, complete, new constants", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, complete, new constants and states", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, complete, new constants and a table of 16", "M draws/s", MILLIONS),
    figure("gnm_draws", "draws, complete, new constants and a table of 4096", "M draws/s", MILLIONS),
    figure("gnm_shaders", "shaders to SPIR-V, other people's", "shaders/s", ONES),
    figure("shader_gcn", "decode", "M words/s", MILLIONS),
    figure("shader_gcn", "parse", "M words/s", MILLIONS),
    figure("shader_gcn", "disassemble", "M words/s", MILLIONS),
    figure("shader_gcn", "assemble", "M words/s", MILLIONS),
    figure("shader_gcn", "shaders to SPIR-V", "shaders/s", ONES),
    figure("gnm_tiling", "2D thin, 32 bits: detile element by element", "GB/s", GIGABYTES),
];

/// Prints the figures from the JSON files in `out`: the guest's, and each tile mode in both directions by bits of an element.
pub(crate) fn finish(out: &Path) {
    figures::head("GNM");
    figures::print(FIGURES, out);
    let cases = figures::cases(&out.join("gnm_tiling.json"));
    println!("\nsurfaces, GB/s (part of a copy's speed): elements of");
    let bits = [8, 16, 32, 64, 128];
    println!("{:<24}{}", "", bits.map(|bits| format!("{:>15}", format!("{bits} bits"))).concat());
    let mut modes: Vec<&str> = Vec::new();
    for case in &cases {
        if let Some((mode, _)) = case.name.split_once(", 8 bits: detile") {
            modes.push(mode);
        }
    }
    for mode in modes {
        for way in ["detile", "tile"] {
            let cell = |bits: i32| {
                let name = format!("{mode}, {bits} bits: {way}");
                let found = cases.iter().find(|case| case.name == name);
                found.map_or_else(
                    || "–".to_owned(),
                    |case| format!("{:.1} ({:.2})", GIGABYTES / case.ns, 1.0 / case.ratio),
                )
            };
            println!("{:<24}{}", format!("{mode}, {way}"), bits.map(|bits| format!("{:>15}", cell(bits))).concat());
        }
    }
}
