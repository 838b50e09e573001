//! Stutter: the longest of 200 frames that each draw with a shader never drawn before, at 60 frames a second.
//!
//! Each case is a process of its own, since drivers keep shaders in memory. "Cold" has an empty cache directory, "warm" the
//! one that the run before left: ours (`AFTERIMAGE_CACHE_DIR`) and the driver's (Mesa's, NVIDIA's) separately. A frame's
//! time is from its first packet's execution until the device has finished it; the pauses between frames do not count. Where
//! all shaders are created at load, the orders in which programs do that are cases: what is made ahead is guessed from them.
//! "Loading" is the time of the frame that creates them.

#[path = "../tests/common/mod.rs"]
mod common;

use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};
use afterimage_vulkan::{Options, Renderer};
use common::*;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Frames of a case, each with one new shader.
const FRAMES: u32 = 200;
/// Frames before, and in which of them shaders are created at load: a second passes until the first is drawn with.
const LOADING: u32 = 75;
const LOAD: u32 = 15;
/// The frame of the case that draws many in one.
const FIRST_OF_BURST: u32 = 100;
/// Time of a frame.
const PERIOD: Duration = Duration::from_micros(16_667);
/// Tells the program that it is the process of a case.
const CHILD: &str = "AFTERIMAGE_STUTTER_CASE";

/// Shaders of the case that draws many in one frame.
const BURST: u32 = 40;

/// What a case does. Shaders are created in the frame that draws them, all at load in an [`Order`], or not at all.
const CASES: [(&str, &str, Cache, Cache); 18] = [
    ("no new shaders", "none", Cache::Cold, Cache::Cold),
    ("created when drawn, all caches cold", "drawn", Cache::Cold, Cache::Cold),
    ("created when drawn, ours warm", "drawn", Cache::Warm, Cache::Cold),
    ("created when drawn, the driver's warm", "drawn", Cache::Cold, Cache::Warm),
    ("created when drawn, all caches warm", "drawn", Cache::Warm, Cache::Warm),
    ("created at load, all caches cold", "load", Cache::Cold, Cache::Cold),
    ("created at load, ours warm", "load", Cache::Warm, Cache::Cold),
    ("created at load, all caches warm", "load", Cache::Warm, Cache::Warm),
    ("at load, cold: vertex, pixel, vertex, ...", "pairs", Cache::Cold, Cache::Cold),
    ("... drawn in another order", "pairs shuffled", Cache::Cold, Cache::Cold),
    ("at load, cold: all vertex, then all pixel", "vertices pixels", Cache::Cold, Cache::Cold),
    ("at load, cold: all pixel, then all vertex", "pixels vertices", Cache::Cold, Cache::Cold),
    ("at load, cold: one vertex, all pixel", "row", Cache::Cold, Cache::Cold),
    ("... drawn in another order", "row shuffled", Cache::Cold, Cache::Cold),
    ("at load, cold: all pixel, one vertex", "row reversed", Cache::Cold, Cache::Cold),
    ("one vertex, all pixel, before any state", "row at start", Cache::Cold, Cache::Cold),
    ("40 drawn in one frame, all caches cold", "burst", Cache::Cold, Cache::Cold),
    ("40 drawn in one frame, all caches warm", "burst", Cache::Warm, Cache::Warm),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Cold,
    Warm,
}

fn main() -> ExitCode {
    if let Ok(when) = std::env::var(CHILD) {
        child(&when);
        return ExitCode::SUCCESS;
    }
    match parent() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every case and prints what its process says.
fn parent() -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    // Fills the warm directories.
    for when in ["drawn", "load", "burst"] {
        run(when, &scratch.path().join(format!("ours-{when}")), &scratch.path().join("driver"))?;
    }
    let mut json = String::from("{\"bench\": \"stutter\", \"cases\": [");
    let mut baseline = None;
    let mut device = String::new();
    for (index, (name, when, ours, driver)) in CASES.into_iter().enumerate() {
        let dir = |cache, warm: String| match cache {
            Cache::Warm => scratch.path().join(warm),
            Cache::Cold => scratch.path().join(format!("cold-{index}-{}", &warm[..4])),
        };
        let (ours, driver) = (dir(ours, format!("ours-{when}")), dir(driver, "driver".into()));
        let said = run(when, &ours, &driver)?;
        let [on, figures, pipelines] = said.split(';').collect::<Vec<_>>()[..] else { Err("a case said nothing")? };
        if index == 0 {
            on.clone_into(&mut device);
            println!("{device}, {FRAMES} frames\n");
            println!(
                "{:<42} {:>8} {:>8} {:>8} {:>9} {:>8}  {:>8}  pipelines",
                "ms", "longest", "99 %", "median", "all", "loading", "x first"
            );
        }
        let [longest, p99, median, all, loading] =
            figures.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()?[..]
        else {
            Err("figures are missing")?
        };
        let baseline = *baseline.get_or_insert(longest);
        let ratio = longest / baseline;
        println!(
            "{name:<42} {longest:>8.2} {p99:>8.2} {median:>8.2} {all:>9.1} {loading:>8.2}  {ratio:>8.2}  {pipelines}"
        );
        let comma = if index == 0 { "" } else { "," };
        write!(
            json,
            "{comma}\n  {{\"name\": \"{name}\", \"longest_ms\": {longest}, \"p99_ms\": {p99}, \"median_ms\": {median}, \
             \"all_ms\": {all}, \"loading_ms\": {loading}, \"ratio\": {ratio:.3}}}"
        )?;
    }
    json.push_str("\n]}\n");
    if let Some(path) = std::env::var_os("AFTERIMAGE_BENCH_JSON") {
        std::fs::write(path, json)?;
    }
    Ok(())
}

/// A case's process; the last line that it prints.
fn run(when: &str, ours: &Path, driver: &Path) -> Result<String, Box<dyn std::error::Error>> {
    std::fs::create_dir_all(driver)?;
    let output = Command::new(std::env::current_exe()?)
        .env(CHILD, when)
        .env("AFTERIMAGE_CACHE_DIR", ours)
        .env("MESA_SHADER_CACHE_DIR", driver)
        .env("__GL_SHADER_DISK_CACHE_PATH", driver)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    match text.lines().last() {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        _ => Err(format!("the case \"{when}\" ended with {}", output.status).into()),
    }
}

/// Numbers that look random and are the same in every run.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % limit
    }
}

const VERTEX_DECLARATIONS: &str = "dcl_position v0\ndcl_color v1\ndcl_texcoord v2\n";

/// A vertex shader like no other number's.
fn vertex_code(number: u32) -> String {
    let mut text = format!("vs_2_0\n{VERTEX_DECLARATIONS}def c200, {number}.25, 0.5, 1.0, 0.0\nmov r0, v1\n");
    let mut random = Random(number);
    for _ in 0..6 + random.below(20) {
        let (a, b) = (random.below(16), random.below(16));
        let _ = match random.below(3) {
            0 => writeln!(text, "mad r0, r0, c{a}, c{b}"),
            1 => writeln!(text, "dp4 r0.x, r0, c{a}"),
            _ => writeln!(text, "max r0, r0, c{a}"),
        };
    }
    text.push_str("mul r0, r0, c200.w\nadd oD0, r0, v1\nmov oT0, v2\nmov oPos, v0\n");
    text
}

/// A pixel shader like no other number's, as large as those of the time.
fn pixel_code(number: u32) -> String {
    let mut text =
        format!("ps_2_0\ndcl v0\ndcl t0.xy\ndcl_2d s0\ndef c30, {number}.5, 0.5, 1.0, 0.0\ntexld r0, t0, s0\n");
    text.push_str("mov r1, v0\n");
    let mut random = Random(number);
    for _ in 0..10 + random.below(30) {
        let (a, b) = (random.below(16), random.below(16));
        let _ = match random.below(6) {
            0 => writeln!(text, "mad r0, r0, r1, c{a}"),
            1 => writeln!(text, "mul r1, r1, c{a}"),
            2 => writeln!(text, "dp3 r1.x, r0, c{a}"),
            3 => writeln!(text, "mad r1, r0, c{a}, r1"),
            4 => writeln!(text, "max r0, r0, c{b}"),
            _ => writeln!(text, "add r0, r0, r1"),
        };
    }
    text.push_str("mul r0, r0, c30\nadd r0, r0, r1\nmov oC0, r0\n");
    text
}

/// Alpha test and fog of a frame: most have none, some change them.
fn ops(frame: u32) -> SetPixelOps {
    let mut ops =
        SetPixelOps { alpha_compare: Compare::Always as u8, fog_end: 1.0, alpha_ref: 0.5, ..Default::default() };
    match frame % 8 {
        5 => ops.alpha_compare = [Compare::Greater, Compare::GreaterEqual, Compare::Less][frame as usize / 8 % 3] as u8,
        7 => ops.fog = [FogMode::Linear, FogMode::Exp, FogMode::Exp2][frame as usize / 8 % 3] as u8,
        _ => {}
    }
    ops
}

/// The shaders of a frame: every eighth has a vertex shader of its own too.
fn shaders_of(guest: &mut Guest, frame: u32, plain: ObjectId) -> SetShaders {
    let vertex = if frame % 8 == 3 { guest.d3d9_shader(Stage::Vertex, &vertex_code(frame)) } else { plain };
    let pixel = guest.d3d9_shader(Stage::Pixel, &pixel_code(frame));
    SetShaders { vertex, pixel, ..SetShaders::default() }
}

/// The order in which a program creates the shaders of all frames at load.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As [`shaders_of`] does: most are drawn with what is bound anyway.
    Frames,
    /// Each pixel shader behind a vertex shader of its own.
    Pairs,
    /// First those of one stage, then those of the other, which has one each.
    Stages { pixels_first: bool },
    /// All pixel shaders have one vertex shader, that nothing was drawn with.
    Row { pixels_first: bool },
}

impl Order {
    /// What a case's word stands for; none where nothing is created at load.
    fn of(when: &str) -> Option<Self> {
        Some(match when {
            "load" => Self::Frames,
            "pairs" | "pairs shuffled" => Self::Pairs,
            "vertices pixels" => Self::Stages { pixels_first: false },
            "pixels vertices" => Self::Stages { pixels_first: true },
            "row" | "row shuffled" | "row at start" => Self::Row { pixels_first: false },
            "row reversed" => Self::Row { pixels_first: true },
            _ => return None,
        })
    }

    /// Creates them.
    fn create(self, guest: &mut Guest, plain: ObjectId) -> Vec<SetShaders> {
        let vertex = |guest: &mut Guest, n: u32| guest.d3d9_shader(Stage::Vertex, &vertex_code(3000 + n));
        let pixel = |guest: &mut Guest, n: u32| guest.d3d9_shader(Stage::Pixel, &pixel_code(n));
        let (vertices, pixels): (Vec<_>, Vec<_>) = match self {
            Self::Frames => return (0..FRAMES).map(|n| shaders_of(guest, n, plain)).collect(),
            Self::Pairs => (0..FRAMES).map(|n| (vertex(guest, n), pixel(guest, n))).unzip(),
            Self::Stages { pixels_first } | Self::Row { pixels_first } => {
                let count = if matches!(self, Self::Row { .. }) { 1 } else { FRAMES };
                let early: Option<Vec<_>> = pixels_first.then(|| (0..FRAMES).map(|n| pixel(guest, n)).collect());
                let vertices: Vec<_> = (0..count).map(|n| vertex(guest, n)).collect();
                let pixels = early.unwrap_or_else(|| (0..FRAMES).map(|n| pixel(guest, n)).collect());
                (vertices, pixels)
            }
        };
        let pairs = vertices.into_iter().cycle().zip(pixels);
        pairs.map(|(vertex, pixel)| SetShaders { vertex, pixel, ..SetShaders::default() }).collect()
    }
}

fn child(when: &str) {
    let renderer = Renderer::new(Options::from_env()).expect("a Vulkan device: run `cargo xtask setup`");
    let device = renderer.gpu().profile.name.clone();
    let mut guest = Guest::over(renderer);
    let order = Order::of(when);
    let mut made = Vec::new();
    let mut loading = 0.0;
    if let (Some(order), "row at start") = (order, when) {
        let start = Instant::now();
        made = order.create(&mut guest, ObjectId::NONE);
        guest.run();
        loading = start.elapsed().as_secs_f64() * 1000.0;
    }
    let screen = guest.target(Format::B8G8R8A8_UNORM, 64, 64);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 64, 64, 1, CreateTexture::TARGET);
    guest.bind(screen, depth);
    guest.layout();
    let small = quad([-0.1, 0.1], [-0.1, 0.1], 0.5, RED);
    guest.vertices(&small);
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
    guest.update_texture(texture, 0, 0, [4, 4], 16, &[0x80; 64]);
    let sampler = guest.sampler(sampling(Filter::Linear));
    guest.bind_texture(0, texture, sampler);
    let plain = guest.d3d9_shader(Stage::Vertex, &vertex_code(1000));
    let known = SetShaders {
        vertex: plain,
        pixel: guest.d3d9_shader(Stage::Pixel, &pixel_code(1000)),
        ..SetShaders::default()
    };
    let mut times = Vec::new();
    let mut next = Instant::now();
    for frame in 0..LOADING + FRAMES {
        let timed = frame.checked_sub(LOADING);
        guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLACK, 1.0, 0);
        // As in most programs, something has alpha test from the start.
        for n in [5, 0] {
            guest.encoder.push(&ops(n));
            guest.encoder.push(&known);
            guest.draw(Topology::TriangleList, 0, 6);
        }
        let loads = order.filter(|_| frame == LOAD && made.is_empty());
        if let Some(order) = loads {
            made = order.create(&mut guest, plain);
            if when.ends_with("shuffled") {
                let mut random = Random(1);
                (1..FRAMES).rev().for_each(|n| made.swap(n as usize, random.below(n + 1) as usize));
            }
        }
        let new = match timed {
            Some(FIRST_OF_BURST) if when == "burst" => FIRST_OF_BURST..FIRST_OF_BURST + BURST,
            Some(n) if when == "drawn" || order.is_some() => n..n + 1,
            _ => 0..0,
        };
        for n in new {
            let new = match made.get(n as usize) {
                Some(made) => *made,
                None => shaders_of(&mut guest, n, plain),
            };
            guest.encoder.push(&ops(n));
            guest.encoder.push(&new);
            guest.draw(Topology::TriangleList, 0, 6);
        }
        guest.present(screen);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next = next.max(Instant::now()) + PERIOD;
        let start = Instant::now();
        guest.run();
        guest.renderer.finish(&mut |_| {}).expect("the device");
        let took = start.elapsed().as_secs_f64() * 1000.0;
        if timed.is_some() {
            times.push(took);
        }
        if loads.is_some() {
            loading = took;
        }
    }
    assert_eq!(guest.renderer.skipped_draws(), 0, "every draw must be drawn");
    let [waited, ready, known, waited_ms] =
        ["pipelines_waited_for", "pipelines_ready", "pipelines_known", "waited_ms"].map(|name| guest.figure(name));
    drop(guest);
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!(
        "{device};{:.3} {:.3} {:.3} {:.2} {loading:.2};{waited} waited for ({waited_ms} ms), {ready} ready ({known} known)",
        at(1.0),
        at(0.99),
        at(0.5),
        times.iter().sum::<f64>()
    );
}
