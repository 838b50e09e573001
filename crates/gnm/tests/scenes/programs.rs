//! Compute shaders of the corpus as a recording has them: RADV's code, tables and contents in exact ranges of memory that begin and end
//! inside of pages, descriptors, packets; what they leave in memory is what their original SPIR-V leaves.

#[path = "../../../shader-gcn/tests/rig/compare.rs"]
mod compare;
#[path = "../../../shader-gcn/tests/rig/dispatch.rs"]
mod dispatch;

use crate::native::device::{self, Gpu};
use crate::play::{Job, Played, dump, memory, play};
use afterimage_gcn_corpus::header::{Image, Shape};
use afterimage_gcn_corpus::{Compare, Compiler, Kind, Program, Resource, Shift, Stage, World, programs};
use afterimage_gnm::gcap::Record;
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use dispatch::{Dispatch, Things};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the contents of memory come from.
const SEED: u32 = 1;
/// How many work at a time.
const THREADS: usize = 2;
/// Where the commands are.
const COMMANDS: u64 = 0x8_0000_0000;

/// Where an image's texels lie in memory, level by level as the descriptors of the world say.
fn layout(image: Image) -> Layout {
    let [width, height, depth] = image.size;
    let description = Description {
        layers: image.layers,
        levels: image.levels,
        depth: if image.shape == Shape::D3 { depth } else { 1 },
        pitch: image.pitch(),
        ..Description::flat(8, image.format.bytes * 8, width, height)
    };
    Layout::new(&description).unwrap_or_else(|error| panic!("{image:?}: {error}"))
}

/// Copies each level between memory and packed lines.
fn each_level(image: Image, mut copy: impl FnMut(&Layout, &Slices, Pitch, std::ops::Range<usize>)) {
    let layout = layout(image);
    let mut at = 0;
    for level in 0..image.levels {
        let [width, height, depth] = image.level(level);
        let slices = if image.shape == Shape::D3 { depth } else { image.layers };
        let line = (width * image.format.bytes) as usize;
        let slice = line * height as usize;
        let size = slice * slices as usize;
        let part = Slices { level, slices: 0..slices, sample: 0 };
        copy(&layout, &part, Pitch { line, slice }, at..at + size);
        at += size;
    }
}

fn image_of(resource: &Resource) -> Option<Image> {
    match resource.kind {
        Kind::Image(image) | Kind::Texture(image, _) => Some(image),
        _ => None,
    }
}

/// What a resource's words are in memory.
fn in_memory(resource: &Resource, words: &[u32]) -> Vec<u8> {
    let packed: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let Some(image) = image_of(resource) else { return packed };
    let mut bytes = vec![0; layout(image).bytes as usize];
    each_level(image, |layout, part, pitch, range| layout.tile(part, &packed[range], pitch, &mut bytes).unwrap());
    bytes
}

/// The words of a resource, of what memory has.
fn of_memory(resource: &Resource, bytes: &[u8]) -> Vec<u32> {
    let mut packed = bytes[..(resource.bytes as usize).min(bytes.len())].to_vec();
    if let Some(image) = image_of(resource) {
        packed = vec![0; resource.bytes as usize];
        each_level(image, |layout, part, pitch, range| {
            layout.detile(part, bytes, &mut packed[range], pitch).unwrap();
        });
    }
    packed.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// What its own SPIR-V leaves in memory.
fn original(gpu: &Gpu, program: &Program, world: &World) -> device::Result<Vec<Vec<u32>>> {
    let header = &program.header;
    let words = program.spirv(Stage::Comp).unwrap_or_else(|error| panic!("{error}"));
    let mut things = Things::new(gpu, header, world, false)?;
    let bindings = things.original()?;
    let push = header.pushed(|at| things.address(at));
    let groups = header.groups;
    let job = Dispatch { words: &words, bindings: &bindings, push: &push, constants: &header.constants, groups };
    // SAFETY: the descriptors and push constants are those that the header says the shader has.
    unsafe { things.run(&job) }
}

/// What a compiler's code leaves in memory, and what is wrong.
fn recorded(program: &Program, compiler: Compiler, number: u64) -> Result<Vec<Vec<u32>>, String> {
    let header = &program.header;
    let compiled = program.compiled(compiler).unwrap_or_else(|error| panic!("{error}"));
    let shader = &compiled.shaders[0];
    // Many places in a page come by; tables and commands are words, and 64-bit numbers are among resources.
    let (tables, resources) = (4 * (number * 37 % 1024), 8 * (number * 91 % 512));
    let shift = Shift { tables, resources, code: 256 * (number % 16) };
    let world = World::shifted(&program.name, header, SEED, shift).with_code(shader);
    let resource = |place: &afterimage_gcn_corpus::Place| place.resource.map(|at| &header.resources[at]);
    let mut records: Vec<Record> = Vec::new();
    let mut dumps = Vec::new();
    for place in &world.places {
        let Some(resource) = resource(place) else {
            records.push(memory(place.address, &place.words));
            continue;
        };
        let bytes = in_memory(resource, &place.words);
        dumps.push(dump(place.address, bytes.len() as u64));
        records.push(Record::Memory { address: place.address, bytes });
    }
    let user = world.user(shader)?;
    let job = Job {
        code: world.code(),
        rsrc: ["rsrc1", "rsrc2"].map(|name| shader.register(name)),
        threads: shader.threads,
        scratch: (shader.scratch / 1024) << 12,
        user: &user,
        groups: header.groups,
    };
    // On the graphics ring and on those of compute.
    records.extend(job.submit((number % 57) as u32, COMMANDS + 4 * (number * 53 % 1024)));
    records.extend(dumps);
    let Played { dumps, faults, log, .. } = play(&records);
    if !faults.is_empty() || !log.is_empty() {
        return Err(format!("{faults:?} {log}"));
    }
    Ok(header.resources.iter().zip(&dumps).map(|(resource, bytes)| of_memory(resource, bytes)).collect())
}

#[test]
fn compute_shaders_leave_the_memory_that_their_originals_leave() {
    let only = std::env::var("AFTERIMAGE_ONLY").ok();
    let mut programs = programs().unwrap_or_else(|error| panic!("{error}"));
    programs.retain(|program| {
        // Of the others, what is written depends on the size of waves.
        let compared = program.is_compute() && program.header.compare != Compare::Translated;
        compared && only.as_ref().is_none_or(|only| program.name.starts_with(only))
    });
    let next = AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let gpu = Gpu::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(number) else { break };
                    let world = World::new(&program.name, &program.header, SEED);
                    let wanted = original(&gpu, program, &world).unwrap_or_else(|e| panic!("{}: {e}", program.name));
                    for (at, &compiler) in program.compilers().iter().enumerate() {
                        let left = recorded(program, compiler, 2 * number as u64 + at as u64);
                        let same = left.and_then(|left| compare::compare(&program.header, &left, &wanted));
                        if let Err(why) = same {
                            failures.lock().unwrap().push(format!("{}.{compiler}: {why}", program.name));
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(only.is_some() || programs.len() >= 140, "only {} programs are there", programs.len());
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}
