//! Surfaces of the PlayStation 4 out of their tiles and into them, against copying as many bytes.
//!
//! Figures are for a surface of 1024 x 1024 elements. *Element by element* is what emulators began with: the address of
//! every element, and a copy of it.

use afterimage_bench::Bench;
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use std::hint::black_box;

const SIDE: u32 = 1024;
/// Slices of thick modes.
const SLICES: u32 = 4;

/// Index in the table of tile modes, its name, and how many slices are copied.
const MODES: [(u32, &str, u32); 9] = [
    (8, "linear", 1),
    (9, "1D display", 1),
    (13, "1D thin", 1),
    (19, "1D thick", SLICES),
    (2, "2D depth", 1),
    (10, "2D display", 1),
    (14, "2D thin", 1),
    (16, "PRT thin", 1),
    (20, "2D thick", SLICES),
];

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("gnm_tiling");
    for (mode, name, slices) in MODES {
        for bits in [8, 16, 32, 64, 128] {
            let description = Description { layers: slices, ..Description::flat(mode, bits, SIDE, SIDE) };
            let layout = Layout::new(&description).expect("a surface");
            let line = (SIDE * bits / 8) as usize;
            let pitch = Pitch { line, slice: line * SIDE as usize };
            let mut surface: Vec<u8> = (0..layout.bytes).map(|i| (i * 31 + (i >> 8)) as u8).collect();
            let mut rows = vec![0; pitch.slice * slices as usize];
            let count = rows.len();
            let part = Slices { level: 0, slices: 0..slices, sample: 0 };
            let mebibytes = count >> 20;
            bench.new_baseline();
            bench.case(&format!("copy a MiB of {bits} bits x {SIDE}^2 x {slices}"), mebibytes, || {
                rows.copy_from_slice(black_box(&surface[..count]));
                black_box(&mut rows);
            });
            bench.case(&format!("{name}, {bits} bits: detile"), mebibytes, || {
                layout.detile(&part, &surface, &mut rows, pitch).expect("inside");
                black_box(&mut rows);
            });
            bench.case(&format!("{name}, {bits} bits: tile"), mebibytes, || {
                layout.tile(&part, &rows, pitch, &mut surface).expect("inside");
                black_box(&mut surface);
            });
        }
    }
    let layout = Layout::new(&Description::flat(14, 32, SIDE, SIDE)).expect("a surface");
    let surface = vec![7; layout.bytes as usize];
    let mut rows = vec![0; (SIDE * SIDE * 4) as usize];
    bench.case("2D thin, 32 bits: detile element by element", 4, || {
        for (at, element) in rows.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let at = [at as u32 % SIDE, at as u32 / SIDE, 0];
            let from = layout.offset_of(0, at, 0).expect("inside") as usize;
            element.copy_from_slice(&surface[from..from + 4]);
        }
        black_box(&mut rows);
    });
    bench.finish()
}
