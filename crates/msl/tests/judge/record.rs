//! The interpreter's run, and what it read on the way.

use std::cell::{Cell, RefCell};

use afterimage_interp::{Environment, Group, Interpreter, LANES, Lod, SampleArgs};
use afterimage_ir::*;
use afterimage_msl::{Artifact, Source};

use super::{Memory, Run};

/// Writes down the lookups that the interpreter makes, and has the memory.
struct Recorder<'a> {
    environment: &'a dyn Environment,
    lookups: RefCell<Vec<u32>>,
    base: u64,
    memory: Vec<Cell<u32>>,
}

/// Words of a lookup and what was found: `Lookup` in `run.h`, and four.
pub(super) const LOOKUP_WORDS: usize = 14 + 4;

fn word(f: f32) -> u32 {
    if f.is_nan() { f32::NAN.to_bits() } else { f.to_bits() }
}

impl Recorder<'_> {
    fn note(&self, slot: u8, kind: u32, args: &SampleArgs, found: [f32; 4]) {
        let (dx, dy, lod) = match args.lod {
            Lod::Level(level) => ([0.0; 3], [0.0; 3], level),
            Lod::Gradient { dx, dy, bias } => (dx, dy, bias),
        };
        let mut record = vec![u32::from(slot), kind];
        record.extend([args.coord, dx, dy].as_flattened().iter().map(|&f| word(f)));
        record.extend([word(lod), u32::from(args.reference.is_some()), word(args.reference.unwrap_or(0.0))]);
        record.extend(found.map(word));
        let mut lookups = self.lookups.borrow_mut();
        if !lookups.chunks(LOOKUP_WORDS).any(|known| known == record) {
            lookups.extend(record);
        }
    }

    fn word(&self, address: u64) -> &Cell<u32> {
        let word = address.checked_sub(self.base).and_then(|offset| self.memory.get(offset as usize / 4));
        word.unwrap_or_else(|| panic!("nothing is at {address:#x}"))
    }
}

impl Environment for Recorder<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        self.environment.input(decl, lane)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.environment.constant(bank, index)
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let mut found = self.environment.sample(texture, args);
        if texture.shadow {
            found = [found[0]; 4];
        }
        let kind = if matches!(args.lod, Lod::Level(_)) { 0 } else { 1 };
        self.note(texture.slot, kind, args, found);
        found
    }

    fn gather(&self, texture: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        let found = self.environment.gather(texture, coord);
        self.note(
            texture.slot,
            2,
            &SampleArgs { coord, layer: 0.0, offset: Default::default(), lod: Lod::Level(0.0), reference: None },
            found,
        );
        found
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        self.environment.spec(decl)
    }

    fn load(&self, address: u64) -> u32 {
        self.word(address).get()
    }

    fn store(&self, address: u64, word: u32) {
        self.word(address).set(word);
    }
}

/// Runs the interpreter, a compute shader in so many work groups. `None` if the shader does not end.
pub(super) fn record(
    module: &Module,
    artifact: &Artifact,
    environment: &dyn Environment,
    memory: &mut Memory,
    groups: [u32; 3],
) -> Option<Run> {
    let cells = memory.words.iter().map(|&word| Cell::new(word)).collect();
    let recorder = Recorder { environment, lookups: RefCell::default(), base: memory.base, memory: cells };
    let interpreter = Interpreter::new(module).expect("a module that was written is valid");
    let (outputs, demoted) = if module.stage == Stage::Compute {
        let interpreter = interpreter.step_limit(1 << 24).whole_barriers();
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let group = Group { id: [x, y, z], count: groups, wave: 32 };
                    interpreter.run_group(&recorder, group).ok()?;
                }
            }
        }
        (vec![[[0; 4]; LANES]; module.outputs.len()], [false; LANES])
    } else {
        let outcome = interpreter.run(&recorder).ok()?;
        (outcome.outputs, outcome.demoted)
    };
    let mut words = blocks(module, artifact, environment);
    for decl in &module.inputs {
        (0..LANES).for_each(|lane| words.extend(environment.input(decl, lane)));
    }
    let lookups = recorder.lookups.into_inner();
    words.push((lookups.len() / LOOKUP_WORDS) as u32);
    words.extend(lookups);
    words.extend(groups);
    words.extend([memory.base as u32, (memory.base >> 32) as u32, memory.words.len() as u32]);
    words.extend(&memory.words);
    memory.words = recorder.memory.into_iter().map(Cell::into_inner).collect();
    Some(Run { words, outputs, demoted, memory: memory.words.clone() })
}

/// Blocks of registers: constants, system block, feedback, and storage buffers in the order of the bindings.
fn blocks(module: &Module, artifact: &Artifact, environment: &dyn Environment) -> Vec<u32> {
    let reflection = &artifact.reflection;
    let storage: Vec<u8> = artifact
        .bindings
        .iter()
        .filter_map(|binding| match binding.source {
            Source::Storage(id) => Some(id),
            _ => None,
        })
        .collect();
    let mut words = vec![3 + storage.len() as u32, reflection.const_registers()];
    let bank = |source, id| module.banks.iter().find(|b| b.source == source && b.id == id);
    for segment in &reflection.segments {
        let decl = bank(BankSource::Stage, segment.bank).expect("segments are of banks");
        for index in segment.first..segment.first + segment.count {
            let def = reflection.const_defs.iter().find(|d| (d.bank, d.index) == (segment.bank, index));
            words.extend(def.map_or_else(|| environment.constant(decl, index), |d| d.bits));
        }
    }
    // A block is one for all banks that lie in it.
    let mut block = |used: bool, is: &dyn Fn(&BankDecl) -> bool| {
        let Some(decl) = module.banks.iter().filter(|b| used && is(b)).max_by_key(|b| b.size) else {
            words.push(0);
            return;
        };
        words.push(decl.size);
        for index in 0..decl.size {
            words.extend(decl.def(index).unwrap_or_else(|| environment.constant(decl, index)));
        }
    };
    block(reflection.system, &|b| b.source == BankSource::System);
    block(reflection.feedback, &|b| b.source == BankSource::Feedback);
    for id in storage {
        block(true, &|b| b.source == BankSource::Storage && b.id == id);
    }
    words
}
