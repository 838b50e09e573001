//! What transform microcode costs on its way to IR, and per vertex on the CPU, for a program of 40 instructions: transform, three
//! lights, texture coordinates; and what the pixel stage's key, constants and IR cost. The baseline is the hash of as many bytes
//! as the program's code has.

use afterimage_bench::Bench;
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::pixel::{self, Drawn};
use afterimage_shader_nv2a::tables::Words;
use afterimage_shader_nv2a::{Program, assemble, lift, run};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;

/// Items of one call, so that a sample is longer than the clock's steps.
const MANY: usize = 100;

fn source() -> String {
    let mut text = String::from(
        "dp4 R0.x, v0, c[0]\ndp4 R0.y, v0, c[1]\ndp4 R0.z, v0, c[2]\ndp4 R0.w, v0, c[3]\n\
         dp3 R2.x, v2, c[4]\ndp3 R2.y, v2, c[5]\ndp3 R2.z, v2, c[6]\n\
         dp3 R2.w, R2, R2\nmul R2.xyz, R2, R3.x + rsq R1.w, R2.w\nmul R2.xyz, R2, R1.w\nmov R6, c[20]\n",
    );
    for light in 0..3 {
        let c = 30 + 4 * light;
        text.push_str(&format!(
            "dp3 R4.x, R2, c[{c}]\ndp3 R4.y, R2, c[{}]\nmov R4.w, c[{}]\nlit R5, R4.xyyw\n\
             mad R6.xyz, R5.y, c[{}], R6\nmad R7.xyz, R5.z, c[{}], R7\n",
            c + 1,
            c + 2,
            c + 3,
            c + 3,
        ));
    }
    text.push_str(
        "mul oD0, R6, v3\nmul oD1, R7, v4\ndp4 oT0.x, v9, c[50]\ndp4 oT0.y, v9, c[51]\nmov oT1, v10\n\
         dph R8.x, v0, c[52]\nmin R8.x, R8, c[53].x\nmov oFog, R8.x\n\
         mul R0.xyz, R0, c[58] + rcc R1.x, R0.w\nmad oPos.xyz, R0, R1.x, c[59]\nmov oPos.w, R0\n",
    );
    text
}

/// A key, its constants and its IR: two textures, one of them moved by the other, three combiners, fog and alpha test.
fn pixel_stage(bench: &mut Bench) {
    let mut registers = Registers::new();
    for (method, value) in [
        (method::SET_SHADER_STAGE_PROGRAM, 0xC1),
        (method::SET_TEXTURE_CONTROL0, 1 << 30),
        (method::SET_TEXTURE_CONTROL0 + 0x40, 1 << 30),
        (method::SET_TEXTURE_FORMAT, 0x0881_0629),
        (method::SET_TEXTURE_FORMAT + 0x40, 0x0001_1229),
        (method::SET_COMBINER_CONTROL, 0x1_1003),
        (method::SET_COMBINER_SPECULAR_FOG_CW0, 0x130E_0300),
        (method::SET_COMBINER_SPECULAR_FOG_CW1, 0x0000_1C80),
        (method::SET_FOG_ENABLE, 1),
        (method::SET_FOG_MODE, 0x800),
        (method::SET_ALPHA_TEST_ENABLE, 1),
        (method::SET_ALPHA_FUNC, 0x204),
        (method::SET_DEPTH_TEST_ENABLE, 1),
        (method::SET_SURFACE_FORMAT, 0x128),
    ] {
        registers.set(method, value);
    }
    for n in 0..3 {
        registers.set(method::SET_COMBINER_COLOR_ICW + 4 * n, 0x0804_0C05);
        registers.set(method::SET_COMBINER_COLOR_OCW + 4 * n, 0xC00);
        registers.set(method::SET_COMBINER_ALPHA_ICW + 4 * n, 0x1814_1C15);
        registers.set(method::SET_COMBINER_ALPHA_OCW + 4 * n, 0xC00);
    }
    let key = pixel::Key::of(&registers, Drawn::Triangles);
    bench.case("pixel key", MANY, || {
        (0..MANY).for_each(|_| {
            black_box(pixel::Key::of(black_box(&registers), Drawn::Triangles));
        });
    });
    bench.case("pixel constants", MANY, || {
        (0..MANY).for_each(|_| {
            black_box(pixel::constants(black_box(&registers)));
        });
    });
    bench.case("pixel lift", MANY, || (0..MANY).for_each(|_| drop(black_box(pixel::lift(black_box(&key))))));
}

fn main() -> std::io::Result<()> {
    let program = match assemble(&source()) {
        Ok(program) => program,
        Err(error) => return Err(std::io::Error::other(error.to_string())),
    };
    println!("{} instructions", program.instructions.len());
    let words: Vec<Words> = program.words().collect();
    let bytes = program.to_bytes();
    let text = program.to_string();
    let mut constants = [[0x3F00_0000; 4]; 192];
    let inputs = [[0.5, 0.25, 2.0, 1.0]; 16];

    let mut bench = Bench::new("shader_nv2a");
    let many = |work: &dyn Fn()| (0..MANY).for_each(|_| work());
    bench.case("hash", MANY, || {
        many(&|| {
            let mut hash = DefaultHasher::new();
            black_box(&bytes).hash(&mut hash);
            black_box(hash.finish());
        });
    });
    bench.case("parse", MANY, || many(&|| drop(black_box(Program::parse(black_box(&words), 0)))));
    bench.case("code", MANY, || many(&|| drop(black_box(program.to_bytes()))));
    bench.case("lift", MANY, || many(&|| drop(black_box(lift(black_box(&program))))));
    bench.case("parse and lift", MANY, || {
        many(&|| drop(black_box(Program::parse(black_box(&words), 0).map(|program| lift(&program)))));
    });
    bench.case("disassemble", MANY, || many(&|| drop(black_box(program.to_string()))));
    bench.case("assemble", MANY, || many(&|| drop(black_box(assemble(black_box(&text))))));
    bench.case("run, a vertex", MANY, || {
        (0..MANY).for_each(|_| {
            black_box(run(black_box(&program), &inputs, &mut constants, false));
        });
    });
    pixel_stage(&mut bench);
    bench.finish()
}
