//! The compute shaders that take surfaces out of their tiles and put them into these, run by the renderer and by the
//! interpreter: every tile mode and size of element, both directions, against the processor's copies.

use afterimage_gnm::tiling::{self, Banks, Copy, Error, Way};
use afterimage_gnm_types::tiling::TILE_MODES;
use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_ir::{BankDecl, InputDecl, TextureDecl};
use afterimage_stream::packets::*;
use afterimage_stream::{Bank, ObjectId, ObjectKind, Port};
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};
use afterimage_vulkan::{Options, Renderer};
use std::cell::RefCell;
use std::collections::HashMap;

const BANKS: Banks = Banks { parameters: Bank::GcnComputeWords as u8, buffers: Bank::GcnComputeBuffers as u8 };

fn noise(bytes: u64, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 56) as u8
    };
    (0..bytes).map(step).collect()
}

/// A copy of a surface that a shader is to do as the processor does it.
struct Case {
    name: String,
    layout: Layout,
    way: Way,
    part: Slices,
    pitch: Pitch,
    copy: Copy,
    text: String,
}

/// Every tile mode and size of element, both ways.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in (0..32).filter(|mode| TILE_MODES[*mode].is_some()) {
        for (bits, way) in [8, 16, 32, 64, 128].into_iter().flat_map(|bits| [(bits, Way::Detile), (bits, Way::Tile)]) {
            // No shader writes small elements of several samples.
            let samples = if mode % 3 == 0 && (bits >= 32 || way == Way::Detile) { 2 } else { 1 };
            // No whole tiles; from one slab of thick modes into the next.
            let flat = Description::flat(mode as u32, bits, 132, 9);
            let layout = Layout::new(&Description { layers: 6, samples, bank_swizzle: 5, ..flat }).expect("a surface");
            let level = layout.level_at(0).expect("a level");
            let part = Slices { level: 0, slices: 3..5, sample: samples - 1 };
            let line = (level.width * layout.element) as usize;
            let pitch = Pitch { line, slice: line * level.height as usize + 4 };
            let copy = tiling::dispatch(&layout, way, &part, pitch).expect("a dispatch");
            let module = tiling::module(&layout, way, 0, BANKS).expect("a module");
            let name = format!("{way:?} mode {mode}, {bits} bits");
            cases.push(Case { name, layout, way, part, pitch, copy, text: module.to_string() });
        }
    }
    cases
}

/// A guest's end of the stream, with a renderer at the other.
struct Guest {
    port: Port,
    thread: std::thread::JoinHandle<u64>,
}

impl Guest {
    fn new() -> Self {
        let options = Options { validate: true, cache_dir: None, raw_addresses: true, ..Options::from_env() };
        let mut renderer = Renderer::new(options).unwrap_or_else(|error| {
            panic!("{error}\n\nThis test needs a Vulkan driver and the validation layer: run `cargo xtask setup`.")
        });
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
        let thread = std::thread::spawn(move || {
            in_process::serve(&mut receiver, &mut renderer);
            renderer.validation_messages()
        });
        Self { port: Port::new(Box::new(link), Init::GNM, "tiling"), thread }
    }

    fn shader(&mut self, text: &str) -> ObjectId {
        let id = self.port.allocate(ObjectKind::Shader).expect("an id");
        let code = self.port.upload_bytes(text.as_bytes()).expect("room");
        self.port.push(&CreateShader { id, stage: Stage::Compute as u32, language: Language::Ir as u32, pad: 0, code });
        id
    }

    fn buffer(&mut self, bytes: &[u8]) -> ObjectId {
        let id = self.port.allocate(ObjectKind::Buffer).expect("an id");
        self.port.push(&CreateBuffer { id, usage: CreateBuffer::STORAGE, size: bytes.len() as u64 });
        let data = self.port.upload_bytes(bytes).expect("room");
        self.port.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
        id
    }

    fn read(&mut self, id: ObjectId, size: usize) -> Vec<u8> {
        let data = self.port.upload(size as u32, 16).expect("room");
        let token = self.port.token();
        self.port.push(&ReadBuffer { id, pad: 0, offset: 0, token, data });
        assert_ne!(self.port.wait(token), Ok(0));
        let mut bytes = vec![0; size];
        self.port.read(&data, 0, &mut bytes);
        bytes
    }
}

#[test]
fn the_renderer_copies_as_the_processor_does() {
    let cases = cases();
    let mut guest = Guest::new();
    // All at once: the renderer's workers make the pipelines while copies run.
    let mut shaders = HashMap::new();
    for case in &cases {
        if !shaders.contains_key(&case.text) {
            shaders.insert(case.text.clone(), guest.shader(&case.text));
        }
    }
    for (number, case) in cases.iter().enumerate() {
        let Case { layout, way, part, pitch, copy, .. } = case;
        let mut surface = noise(layout.bytes, number as u64);
        let mut rows = noise((pitch.slice * part.slices.len()) as u64, !(number as u64));
        let buffers = [guest.buffer(&surface), guest.buffer(&rows)];
        let bindings = buffers.map(|buffer| StorageBinding { buffer, ..StorageBinding::default() });
        let port = &mut guest.port;
        port.push_tail(&SetStorage { stage: Stage::Compute as u32, first: 0, count: 2 }, &bindings);
        let count = copy.parameters.len() as u32;
        let constants = SetConstants { bank: BANKS.parameters.into(), first: 0, count };
        port.push_tail(&constants, &copy.parameters);
        port.push(&Dispatch { shader: shaders[&case.text], groups: copy.groups });
        match way {
            Way::Detile => layout.detile(part, &surface, &mut rows, *pitch),
            Way::Tile => layout.tile(part, &rows, *pitch, &mut surface),
        }
        .expect("a copy");
        assert!(guest.read(buffers[0], surface.len()) == surface, "surface: {}", case.name);
        assert!(guest.read(buffers[1], rows.len()) == rows, "rows: {}", case.name);
        buffers.into_iter().for_each(|buffer| guest.port.destroy(buffer));
    }
    println!("{} copies by {} shaders", cases.len(), shaders.len());
    drop(guest.port);
    assert_eq!(guest.thread.join().expect("the render thread"), 0, "messages of the validation layer");
}

/// A compute shader's surroundings: two buffers, of which register 0 and 1 of the bank of buffers tell the address.
struct Surroundings {
    parameters: [[u32; 4]; 3],
    surface: RefCell<Vec<u8>>,
    rows: RefCell<Vec<u8>>,
}

/// The banks as the interpreter has them.
const INTERPRETED: Banks = Banks { parameters: 0, buffers: 1 };

/// Where the buffers begin; the second crosses the 4 GiB line.
const BUFFERS: [u64; 2] = [0x1_0000_0000, 0xFFFF_FF00 + (7 << 32)];

impl Surroundings {
    fn with<T>(&self, address: u64, each: impl FnOnce(&mut [u8; 4]) -> T) -> T {
        let far = address >= BUFFERS[1];
        let memory = if far { &self.rows } else { &self.surface };
        let at = (address - BUFFERS[usize::from(far)]) as usize;
        each((&mut memory.borrow_mut()[at..at + 4]).try_into().expect("four bytes"))
    }
}

impl Environment for Surroundings {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        if bank.id == INTERPRETED.parameters {
            return self.parameters[index as usize];
        }
        let address = BUFFERS[index as usize];
        [address as u32, (address >> 32) as u32, u32::MAX, 0]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.with(address, |bytes| u32::from_le_bytes(*bytes))
    }

    fn store(&self, address: u64, word: u32) {
        self.with(address, |bytes| *bytes = word.to_le_bytes());
    }
}

#[test]
fn the_interpreter_copies_as_the_processor_does() {
    for mode in (0..32).filter(|mode| TILE_MODES[*mode].is_some()) {
        for bits in [8, 16, 32, 64, 128] {
            let samples = if mode % 3 == 0 { 2 } else { 1 };
            let description =
                Description { layers: 6, samples, bank_swizzle: 5, ..Description::flat(mode as u32, bits, 133, 9) };
            let layout = Layout::new(&description).expect("a surface");
            let level = *layout.level_at(0).expect("a level");
            let part = Slices { level: 0, slices: 3..5, sample: samples - 1 };
            let line = (level.width * layout.element).next_multiple_of(4) as usize;
            let pitch = Pitch { line, slice: line * level.height as usize + 4 };
            let (surface, rows) = (noise(layout.bytes, 3), noise(2 * pitch.slice as u64, 4));
            for way in [Way::Detile, Way::Tile] {
                let (mut tiled, mut lines) = (surface.clone(), rows.clone());
                match way {
                    Way::Detile => layout.detile(&part, &surface, &mut lines, pitch),
                    Way::Tile => layout.tile(&part, &rows, pitch, &mut tiled),
                }
                .expect("a copy");
                let module = tiling::module(&layout, way, 0, INTERPRETED).expect("a module");
                let copy = match tiling::dispatch(&layout, way, &part, pitch) {
                    Err(Error::Samples(2) | Error::Words { .. }) if bits < 32 => continue,
                    copy => copy.expect("a dispatch"),
                };
                let world = Surroundings {
                    parameters: copy.parameters,
                    surface: RefCell::new(surface.clone()),
                    rows: RefCell::new(rows.clone()),
                };
                let interpreter = Interpreter::new(&module).expect("a valid module");
                for n in 0..copy.groups.iter().product() {
                    let [across, down, _] = copy.groups;
                    let id = [n % across, n / across % down, n / across / down];
                    let group = Group { id, count: copy.groups, wave: 64 };
                    interpreter.run_group(&world, group).expect("an end");
                }
                assert!(*world.surface.borrow() == tiled, "surface: {way:?} mode {mode}, {bits} bits");
                assert!(*world.rows.borrow() == lines, "rows: {way:?} mode {mode}, {bits} bits");
            }
        }
    }
}
