//! The interpreter's run, and what it read on the way.

use std::cell::RefCell;

use afterimage_interp::{Environment, Interpreter, LANES, Lod, SampleArgs};
use afterimage_ir::*;
use afterimage_msl::Artifact;

use super::Run;

/// Writes down the lookups that the interpreter makes.
struct Recorder<'a> {
    environment: &'a dyn Environment,
    lookups: RefCell<Vec<u32>>,
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
}

/// Runs the interpreter. `None` if the shader does not end.
pub(super) fn record(module: &Module, artifact: &Artifact, environment: &dyn Environment) -> Option<Run> {
    let recorder = Recorder { environment, lookups: RefCell::default() };
    let interpreter = Interpreter::new(module).expect("a module that was written is valid");
    let outcome = interpreter.run(&recorder).ok()?;
    let reflection = &artifact.reflection;
    let mut words = Vec::new();
    let bank = |source, id| module.banks.iter().find(|b| b.source == source && b.id == id);
    words.push(reflection.const_registers());
    for segment in &reflection.segments {
        let decl = bank(BankSource::Stage, segment.bank).expect("segments are of banks");
        for index in segment.first..segment.first + segment.count {
            let def = reflection.const_defs.iter().find(|d| (d.bank, d.index) == (segment.bank, index));
            words.extend(def.map_or_else(|| environment.constant(decl, index), |d| d.bits));
        }
    }
    // The system block is one for all banks that lie in it.
    let system = module.banks.iter().filter(|b| b.source == BankSource::System && reflection.system);
    match system.max_by_key(|b| b.size) {
        Some(decl) => {
            words.push(decl.size);
            for index in 0..decl.size {
                words.extend(decl.def(index).unwrap_or_else(|| environment.constant(decl, index)));
            }
        }
        None => words.push(0),
    }
    for decl in &module.inputs {
        (0..LANES).for_each(|lane| words.extend(environment.input(decl, lane)));
    }
    let lookups = recorder.lookups.into_inner();
    words.push((lookups.len() / LOOKUP_WORDS) as u32);
    words.extend(lookups);
    Some(Run { words, outputs: outcome.outputs, demoted: outcome.demoted })
}
