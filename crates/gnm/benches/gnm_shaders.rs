//! What other people's shaders cost from GCN words to SPIR-V: those of the recordings that `cargo xtask gnm corpus` leaves in
//! `gnm/corpus/recordings` of the target folder, as the guest sends them; without them nothing is measured. The baseline is finding what
//! they read. `AFTERIMAGE_GNM_SHADERS=N` takes every Nth.

use afterimage_bench::Bench;
use afterimage_gnm::gcap::{Event, Player, Reader};
use afterimage_gnm::translate::Translator;
use afterimage_ir::Module;
use afterimage_passes::{FloatRules, optimize, optimize_observed};
use afterimage_shader_gcn::io::Source;
use afterimage_shader_gcn::{lift, resources};
use afterimage_spirv::{Features, Options, emit};
use afterimage_stream::packets::{Language, Packet};
use afterimage_stream::{DeviceFeatures, DeviceInfo, recorder};
use std::collections::BTreeSet;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Shaders that are measured at most.
const MOST: usize = 5000;

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join("gnm/corpus/recordings")
}

/// The shaders that a recording has sent.
fn sent(path: &PathBuf) -> std::io::Result<Vec<Vec<u8>>> {
    let reader = Reader::new(BufReader::new(File::open(path)?)).map_err(std::io::Error::other)?;
    let features = !DeviceFeatures::PROCESSOR;
    let device = DeviceInfo { max_texture_2d: 16384, max_texture_3d: 2048, ..DeviceInfo::default() };
    let device = DeviceInfo {
        sample_counts: u32::MAX,
        storage_sample_counts: u32::MAX,
        features,
        formats: [u32::MAX; 96],
        ..device
    };
    let (link, recording) = recorder(device);
    let mut translator = Translator::new(link, "bench");
    let mut player = Player::new(reader);
    while let Some(event) = player.step(&mut translator).map_err(std::io::Error::other)? {
        if let Event::Flip(_) = event {
            break;
        }
    }
    drop(translator);
    let recording = recording.lock().expect("no panic elsewhere");
    let mut shaders = Vec::new();
    for located in recording.packets().flatten() {
        if let Packet::CreateShader(body) = located.packet
            && body.language == Language::Gcn as u32
        {
            shaders.extend(recording.upload(&body.code).map(<[u8]>::to_vec));
        }
    }
    Ok(shaders)
}

/// Every shader once, of all recordings.
fn sources() -> std::io::Result<Vec<Source>> {
    let Ok(entries) = std::fs::read_dir(folder()) else { return Ok(Vec::new()) };
    // Beside them lies what graphics programs left.
    let is_recording = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "gcap");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_recording).collect();
    paths.sort();
    let step = std::env::var("AFTERIMAGE_GNM_SHADERS").ok().and_then(|text| text.parse().ok()).unwrap_or(1usize);
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    for path in paths.iter().step_by(step.max(1)) {
        for bytes in sent(path)? {
            if out.len() < MOST && seen.insert(bytes.clone()) {
                out.extend(Source::from_bytes(&bytes).ok().filter(|source| spirv(source).is_some()));
            }
        }
    }
    Ok(out)
}

/// From code to SPIR-V, with everything that a new shader needs; and how long each part took.
fn spirv(source: &Source) -> Option<[Duration; 4]> {
    let start = Instant::now();
    black_box(resources(source).ok()?);
    let found = start.elapsed();
    let mut module = lift(source).ok()?;
    let lifted = start.elapsed();
    optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    let optimized = start.elapsed();
    emit(&module, &Options { bindless: true, preserve: true, debug_names: false, features: Features::ALL }).ok()?;
    Some([found, lifted - found, optimized - lifted, start.elapsed() - optimized])
}

/// Prints how long each pass takes for a shader, and how many instructions it leaves; of one that runs several times, all runs together.
fn print_passes(sources: &[Source]) {
    let mut passes: Vec<(&str, Duration, usize)> = Vec::new();
    let mut lifted = 0;
    let count = |module: &Module| {
        let mut insts = 0;
        module.for_each_inst(|_, _| insts += 1);
        insts
    };
    for mut module in sources.iter().filter_map(|source| lift(source).ok()) {
        lifted += count(&module);
        let mut last = Instant::now();
        let options = afterimage_passes::Options { float_rules: FloatRules::Strict };
        optimize_observed(&mut module, &options, &mut |name, module| {
            let (took, insts) = (last.elapsed(), count(module));
            match passes.iter_mut().find(|(other, ..)| *other == name) {
                Some((_, time, left)) => (*time, *left) = (*time + took, *left + insts),
                None => passes.push((name, took, insts)),
            }
            last = Instant::now();
        });
    }
    let each = |of: f64| of / sources.len() as f64;
    let passes: Vec<_> = passes
        .iter()
        .map(|(name, time, left)| format!("{name} {:.1} ({:.0})", each(time.as_secs_f64() * 1e6), each(*left as f64)))
        .collect();
    println!("us each of the passes (instructions left of {:.0}): {}", each(lifted as f64), passes.join(", "));
}

fn main() -> std::io::Result<()> {
    let sources = sources()?;
    let mut bench = Bench::new("gnm_shaders");
    if sources.is_empty() {
        println!("skipped: no recordings in {}: cargo xtask gnm corpus", folder().display());
        return bench.finish();
    }
    let words: usize = sources.iter().map(|source| source.code.len()).sum();
    println!("{} shaders of {words} words", sources.len());
    bench.case("baseline: what they read", sources.len(), || {
        for source in &sources {
            let _found = black_box(resources(source));
        }
    });
    bench.case("shaders to SPIR-V, other people's", sources.len(), || {
        for source in &sources {
            black_box(spirv(source));
        }
    });
    // The part of each step, and the slowest.
    let mut times: Vec<(Duration, [Duration; 4], usize)> = sources
        .iter()
        .enumerate()
        .filter_map(|(at, source)| spirv(source).map(|parts| (parts.iter().sum(), parts, at)))
        .collect();
    let sum = |n: usize| times.iter().map(|time| time.1[n]).sum::<Duration>().as_micros() / times.len() as u128;
    println!("us each: resources {}, lift {}, passes {}, SPIR-V {}", sum(0), sum(1), sum(2), sum(3));
    print_passes(&sources);
    times.sort_by_key(|time| std::cmp::Reverse(time.0));
    for (all, parts, at) in times.iter().take(8) {
        println!("{all:?} {parts:?}: {:?} of {} words", sources[*at].stage, sources[*at].code.len());
    }
    bench.finish()
}
