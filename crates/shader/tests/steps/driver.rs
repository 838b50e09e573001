//! The driver computes what the interpreter does.

use crate::corpus::{self, Entry};
use crate::rig::{CLEAR, Job, PLACE, Picture, Rig, TARGETS};
use crate::world::{WORLDS, World};
use crate::{distinct, report, shader};
use afterimage_interp::{Interpreter, Outcome};
use afterimage_ir::{
    Args, Imm, InputAt, InputDecl, Interp, Kind, Module, Op, Output, OutputAt, OutputDecl, Stage, Type, parse, verify,
};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader::Artifact;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Jobs in one submission.
const BATCH: usize = 48;

/// A shader ready to draw, and what must come of it.
struct Case<'a> {
    entry: &'a Entry,
    job: Job,
    lifted: Module,
    /// The module's outputs that the targets show, in their order.
    shown: Vec<usize>,
}

fn emit(module: &Module, options: &afterimage_spirv::Options) -> Result<Artifact, String> {
    verify(module).map_err(|e| format!("verify: {e}\n{module}"))?;
    afterimage_spirv::emit(module, options).map_err(|e| format!("SPIR-V: {e}\n{module}"))
}

/// The constants of a stage as the renderer lays them out.
fn constants(artifact: &Artifact, world: u32) -> Vec<[u32; 4]> {
    let r = &artifact.reflection;
    let registers = r.segments.iter().flat_map(|s| (s.first..s.first + s.count).map(|index| (s.bank, index)));
    let mut laid: Vec<_> = registers.map(|(bank, index)| World::register(world, bank, index)).collect();
    for def in &r.const_defs {
        if let Some(at) = r.const_offset(def.bank, def.index) {
            laid[at as usize] = def.bits;
        }
    }
    laid
}

fn text_module(text: &str, options: &afterimage_spirv::Options) -> Result<Vec<u32>, String> {
    Ok(emit(&parse(text).map_err(|e| format!("{e}\n{text}"))?, options)?.words)
}

/// The cases of an entry: one of a pixel shader, of a vertex shader one for every eight of its outputs.
fn cases<'a>(entry: &'a Entry, options: &afterimage_spirv::Options) -> Result<Vec<Case<'a>>, String> {
    let (shader, runtime) = shader(entry)?;
    let lifted = shader.lift(&runtime).map_err(|e| format!("lift: {e}"))?;
    let mut module = lifted.clone();
    optimize(&mut module, &Options { float_rules: FloatRules::Strict });
    let shadow = module.textures.iter().any(|texture| texture.shadow);
    let stage = lifted.stage;
    if stage == Stage::Pixel {
        let pixel = emit(&module, options)?;
        let constants = (0..WORLDS).map(|world| constants(&pixel, world)).collect();
        let vertex = text_module(&passing_on(&module), options)?;
        let job = Job { stage, vertex, pixel: pixel.words, constants, shadow };
        return Ok(vec![Case { entry, job, lifted, shown: Vec::new() }]);
    }
    let locations = show_everything(&mut module);
    let vertex = emit(&module, options)?;
    let world_constants: Vec<_> = (0..WORLDS).map(|world| constants(&vertex, world)).collect();
    let all: Vec<usize> = (0..lifted.outputs.len()).collect();
    let groups = all.chunks(TARGETS).map(|shown| {
        let pixel = text_module(&showing(&lifted, shown, &locations), options)?;
        let (words, constants) = (vertex.words.clone(), world_constants.clone());
        let job = Job { stage, vertex: words, pixel, constants, shadow };
        Ok(Case { entry, job, lifted: lifted.clone(), shown: shown.to_vec() })
    });
    groups.collect()
}

/// Turns everything that a vertex shader writes into varyings, and gives it a place of the test's own. Returns the location of
/// each output.
fn show_everything(m: &mut Module) -> Vec<u8> {
    let taken = |m: &Module, location: u8| m.outputs.iter().any(|output| output.at == OutputAt::Location(location));
    for index in 0..m.outputs.len() {
        if !matches!(m.outputs[index].at, OutputAt::Location(_)) {
            let free = (0..PLACE).find(|location| !taken(m, *location)).unwrap_or(PLACE);
            m.outputs[index].at = OutputAt::Location(free);
        }
    }
    let locations = m.outputs.iter().map(|output| match output.at {
        OutputAt::Location(location) => location,
        _ => PLACE,
    });
    let locations = locations.collect();
    let (name, semantic) = (String::new(), None);
    let input = InputDecl { name, ty: Type::F32X4, at: InputAt::Location(PLACE), interp: Interp::Smooth, semantic };
    m.inputs.push(input);
    let input = afterimage_ir::Input::new(m.inputs.len() - 1);
    let place = m.new_inst(Op::LoadInput, Imm::Input(input), Args::new(), &[Type::F32X4]);
    let size = m.new_inst(Op::Const, Imm::Const([1f32.to_bits(), 0, 0, 0]), Args::new(), &[Type::F32]);
    let mut added = vec![place, size];
    for (value, ty, at) in [(place, Type::F32X4, OutputAt::Position), (size, Type::F32, OutputAt::PointSize)] {
        m.outputs.push(OutputDecl { name: String::new(), ty, at, semantic: None });
        let output = Output::new(m.outputs.len() - 1);
        let value = m.inst(value).results[0];
        added.push(m.new_inst(Op::StoreOutput, Imm::Output(output), Args::from_slice(&[value]), &[]));
    }
    let body = m.body.index();
    m.regions[body].insts.splice(0..0, added);
    locations
}

/// A vertex shader that passes attributes on to the varyings that a pixel shader reads.
fn passing_on(pixel: &Module) -> String {
    let mut locations: Vec<u8> = pixel.inputs.iter().filter_map(|input| location(input.at)).collect();
    locations.sort_unstable();
    locations.dedup();
    let (mut declarations, mut code) = (String::new(), String::new());
    let outputs = std::iter::once("position".to_owned()).chain(locations.iter().map(|l| format!("location {l}")));
    for (n, (from, to)) in std::iter::once(PLACE).chain(locations.iter().copied()).zip(outputs).enumerate() {
        let _ = writeln!(declarations, "input in{n} : f32x4 location {from} smooth\noutput out{n} : f32x4 {to}");
        let _ = writeln!(code, "v{n}: f32x4 = load_input in{n}\nstore_output out{n}, v{n}");
    }
    ordered("vertex", &declarations, &code)
}

fn location(at: InputAt) -> Option<u8> {
    match at {
        InputAt::Location(location) => Some(location),
        _ => None,
    }
}

/// A pixel shader that shows the varyings of some outputs.
fn showing(vertex: &Module, shown: &[usize], locations: &[u8]) -> String {
    let (mut declarations, mut code) = (String::new(), String::new());
    for (n, output) in shown.iter().enumerate() {
        let (ty, location) = (vertex.outputs[*output].ty, locations[*output]);
        let _ =
            writeln!(declarations, "input in{n} : {ty} location {location} flat\noutput out{n} : {ty} location {n}");
        let _ = writeln!(code, "v{n}: {ty} = load_input in{n}\nstore_output out{n}, v{n}");
    }
    ordered("pixel", &declarations, &code)
}

/// Inputs stand before outputs.
fn ordered(stage: &str, declarations: &str, code: &str) -> String {
    let of = |word: &str| declarations.lines().filter(|line| line.starts_with(word)).collect::<Vec<_>>().join("\n");
    format!("{stage} {{\n{}\n{}\n{code}\nreturn\n}}", of("input"), of("output"))
}

/// How many quads were compared, and how many could not be; and the shaders none of whose quads could be.
#[derive(Default)]
struct Count {
    compared: AtomicUsize,
    ambiguous: AtomicUsize,
    unknown: Mutex<Vec<String>>,
}

fn compare(case: &Case<'_>, picture: &Picture, count: &Count) -> Result<(), String> {
    let mut compared = 0;
    let interpreter = Interpreter::new(&case.lifted).map_err(|e| e.to_string())?;
    // Vulkan bounds the error of sine and cosine for small angles only.
    let mut angles = false;
    case.lifted.for_each_inst(|_, data| angles |= matches!(data.op, Op::FSin | Op::FCos));
    for index in (0..WORLDS).filter(|index| !(angles && *index == World::EDGES)) {
        for quad in 0..World::quads(case.lifted.stage) {
            let world = World::new(index, case.lifted.stage, quad);
            let outcome = interpreter.run(&world).map_err(|e| e.to_string())?;
            if world.ambiguous.get() {
                count.ambiguous.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            count.compared.fetch_add(1, Ordering::Relaxed);
            compared += 1;
            for lane in 0..4 {
                compare_lane(case, picture, &world, &outcome, lane)
                    .map_err(|e| format!("world {index}, quad {quad}, lane {lane}: {e}\n{}", case.lifted))?;
            }
        }
    }
    if compared == 0 {
        count.unknown.lock().expect("nothing panics with it").push(case.entry.name.clone());
    }
    Ok(())
}

fn compare_lane(
    case: &Case<'_>,
    picture: &Picture,
    world: &World,
    outcome: &Outcome,
    lane: usize,
) -> Result<(), String> {
    let wrong = |what: &str, found: &[u32], expected: &[u32]| {
        let [found, expected] =
            [found, expected].map(|bits| bits.iter().map(|b| f32::from_bits(*b)).collect::<Vec<_>>());
        Err(format!("{what} is {found:?} and not {expected:?}"))
    };
    if world.stage == Stage::Vertex {
        for (target, output) in case.shown.iter().enumerate() {
            let lanes = case.lifted.outputs[*output].ty.lanes as usize;
            let found = picture.color(target, world, (world.quad * 4 + lane as u32, 0));
            let expected = outcome.outputs[*output][lane];
            if !close(&found[..lanes], &expected[..lanes]) {
                let name = format!("{} ({:?})", case.lifted.outputs[*output].name, case.lifted.outputs[*output].at);
                return wrong(&name, &found[..lanes], &expected[..lanes]);
            }
        }
        return Ok(());
    }
    for (output, decl) in case.lifted.outputs.iter().enumerate() {
        let lanes = decl.ty.lanes as usize;
        let mut expected = outcome.outputs[output][lane];
        let place = world.pixel(lane);
        let found = match decl.at {
            OutputAt::Location(target) => picture.color(target as usize, world, place),
            OutputAt::FragDepth => {
                let depth = f32::from_bits(expected[0]);
                // What is no number may become any depth.
                if depth.is_nan() {
                    continue;
                }
                expected[0] = depth.clamp(0.0, 1.0).to_bits();
                [picture.depth(world, place), 0, 0, 0]
            }
            _ => continue,
        };
        if outcome.demoted[lane] {
            expected = if decl.at == OutputAt::FragDepth { [1f32.to_bits(); 4] } else { [CLEAR.to_bits(); 4] };
        }
        debug_assert!(decl.ty.kind == Kind::Float);
        if !close(&found[..lanes], &expected[..lanes]) {
            return wrong(&decl.name, &found[..lanes], &expected[..lanes]);
        }
    }
    Ok(())
}

fn close(found: &[u32], expected: &[u32]) -> bool {
    found.iter().zip(expected).all(|(&found, &expected)| {
        let (f, e) = (f32::from_bits(found), f32::from_bits(expected));
        found == expected || f.is_nan() && e.is_nan() || (f - e).abs() <= 2e-5 * e.abs().max(1.0)
    })
}

#[test]
fn the_driver_computes_what_the_interpreter_does() {
    let start = std::time::Instant::now();
    let entries = distinct(corpus::all());
    let (count, next, failed) = (Count::default(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let fail = |entry: &Entry, error| failed.lock().expect("nothing panics with it").push((entry.clone(), error));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let rig = Rig::new();
                loop {
                    let first = next.fetch_add(BATCH, Ordering::Relaxed);
                    let Some(batch) = entries.get(first..entries.len().min(first + BATCH)) else { break };
                    if batch.is_empty() {
                        break;
                    }
                    let mut ready = Vec::new();
                    for (n, entry) in batch.iter().enumerate() {
                        // Half of the shaders take their textures the one way, half the other.
                        let bindless = rig.gpu.options.bindless && n % 2 == 0;
                        match cases(entry, &afterimage_spirv::Options { bindless, ..rig.gpu.options }) {
                            Ok(cases) => ready.extend(cases),
                            Err(error) => fail(entry, error),
                        }
                    }
                    let (jobs, ready): (Vec<_>, Vec<_>) =
                        ready.into_iter().map(|case| (case.job, (case.entry, case.lifted, case.shown))).unzip();
                    let pictures = rig.draw(&jobs);
                    for ((job, (entry, lifted, shown)), picture) in jobs.into_iter().zip(ready).zip(&pictures) {
                        if let Err(error) = compare(&Case { entry, job, lifted, shown }, picture, &count) {
                            fail(entry, error);
                        }
                    }
                }
            });
        }
    });
    let (compared, ambiguous) = (count.compared.into_inner(), count.ambiguous.into_inner());
    let unknown = count.unknown.into_inner().expect("nothing panics with it");
    println!("driver: {compared} quads compared, {ambiguous} could not be because of their texture coordinates");
    report("driver", entries.len(), start, failed.into_inner().expect("nothing panics with it"));
    assert!(compared > 4 * ambiguous, "too little was compared");
    assert!(unknown.is_empty(), "nothing of these was compared:\n{}", unknown.join("\n"));
}
