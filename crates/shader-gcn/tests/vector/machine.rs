//! Runs hand-written programs as work groups over a buffer: assembled, translated, and interpreted as they are, optimised, and in
//! smaller waves than the guest's where one is the group.

use std::cell::RefCell;

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputDecl, Module, TextureDecl, verify};
use afterimage_passes::{FloatRules, Options, guest_waves, optimize, wave_order};
use afterimage_shader_gcn::io::{
    BufferAt, BufferSpec, HwStage, ImageSpec, Registers, Resources, Scalars, Source, Values, WINDOW_PAGE, bank,
};
use afterimage_shader_gcn::{assemble, lift, resources};

/// Device address of the buffer.
pub(crate) const BASE: u64 = 0x1_0000_0000;

/// Lanes of the waves of a host whose waves are smaller than the guest's.
const SMALLER: u32 = 8;

/// A program and what it runs with. `s[0:3]` are user data: the V# of a buffer over all of `memory`.
pub(crate) struct Machine {
    pub(crate) wave: usize,
    pub(crate) memory: Vec<u32>,
    pub(crate) registers: Registers,
    pub(crate) buffer: BufferSpec,
    /// Records of the V#; bytes unless it has a stride.
    pub(crate) records: u32,
    pub(crate) images: Vec<ImageSpec>,
    /// The first buffer of the program is private memory.
    pub(crate) scratch: bool,
}

/// A raw buffer whose components are where they are.
pub(crate) const RAW: BufferSpec = BufferSpec { word1: 0, word3: 0x27FAC };

impl Machine {
    pub(crate) fn new(lanes: u32, memory: Vec<u32>) -> Machine {
        let records = memory.len() as u32 * 4;
        let registers = Registers {
            // DX10_CLAMP; rounding to nearest.
            rsrc1: 1 << 21,
            // Four words of user data, x of the place in the group, 8 KiB of shared memory.
            rsrc2: 4 << 1 | 16 << 15,
            num_thread: [lanes, 1, 1],
            ..Registers::default()
        };
        Machine { wave: 64, memory, registers, buffer: RAW, records, images: Vec::new(), scratch: false }
    }

    pub(crate) fn source(&self, text: &str) -> Source {
        let code = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut source = Source {
            stage: HwStage::Cs,
            code,
            fetch: Vec::new(),
            registers: self.registers,
            buffers: Vec::new(),
            images: self.images.clone(),
            tables: Vec::new(),
        };
        let count = resources(&source).unwrap_or_else(|error| panic!("{error}\n{text}")).buffers.len();
        source.buffers = vec![self.buffer; count];
        if self.scratch {
            source.buffers[0] = BufferSpec { word1: 1 << 31, word3: 0x00e8_0fac };
        }
        source
    }

    /// What the program leaves in memory.
    pub(crate) fn run(&self, text: &str) -> Vec<u32> {
        self.run_source(&self.source(text), text)
    }

    /// What the program leaves in memory whose buffers have these descriptors, in their order.
    #[allow(dead_code)]
    pub(crate) fn run_with(&self, text: &str, buffers: &[BufferSpec]) -> Vec<u32> {
        let source = Source { buffers: buffers.to_vec(), ..self.source(text) };
        self.run_source(&source, text)
    }

    fn run_source(&self, source: &Source, text: &str) -> Vec<u32> {
        let mut module = lift(source).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let values = resources(source)
            .map(|found| (found.evaluate(&User(self)), found))
            .unwrap_or_else(|error| panic!("{error}"));
        let plain = self.interpret(&module, self.wave, &values, text);
        optimize(&mut module, &Options { float_rules: FloatRules::Strict });
        let optimised = self.interpret(&module, self.wave, &values, text);
        assert_eq!(plain, optimised, "the passes change what is computed by\n{text}");
        if self.wave == 64 {
            assert!(wave_order::run(&mut module, SMALLER));
            assert!(guest_waves::run(&mut module, SMALLER));
            verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
            let smaller = self.interpret(&module, SMALLER as usize, &values, text);
            assert_eq!(plain, smaller, "waves of {SMALLER} change what is computed by\n{text}");
        }
        plain
    }

    fn interpret(&self, module: &Module, wave: usize, values: &(Values, Resources), text: &str) -> Vec<u32> {
        let world = World { machine: self, values, memory: RefCell::new(self.memory.clone()) };
        let group = Group { id: [0; 3], count: [1; 3], wave };
        let interpreter = Interpreter::new(module).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let interpreter = if wave < 64 { interpreter.whole_barriers() } else { interpreter };
        interpreter.step_limit(1 << 24).run_group(&world, group).unwrap_or_else(|error| panic!("{error}\n{text}"));
        world.memory.into_inner()
    }

    /// Words of the program's IR, for reading.
    #[allow(dead_code)]
    pub(crate) fn text(&self, text: &str) -> String {
        lift(&self.source(text)).map_or_else(|error| error.to_string(), |module| module.to_string())
    }
}

struct User<'a>(&'a Machine);

impl Scalars for User<'_> {
    fn user(&self, n: u8) -> u32 {
        let Machine { buffer, records, .. } = self.0;
        [BASE as u32, (BASE >> 32) as u32 | buffer.word1, *records, buffer.word3]
            .get(usize::from(n))
            .copied()
            .unwrap_or(0)
    }

    fn word(&self, _: u64) -> Option<u32> {
        None
    }

    fn program(&self) -> u64 {
        0
    }
}

struct World<'a> {
    machine: &'a Machine,
    values: &'a (Values, Resources),
    memory: RefCell<Vec<u32>>,
}

impl World<'_> {
    /// Index of the word at an address, which has to be within the buffer.
    fn index(&self, address: u64) -> usize {
        let at = address.wrapping_sub(BASE) / 4;
        assert!(at < self.machine.memory.len() as u64, "an access of {address:#x}, which is no memory");
        at as usize
    }
}

impl Environment for World<'_> {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, decl: &BankDecl, index: u32) -> [u32; 4] {
        if decl.id == bank::WORDS {
            let (values, found) = self.values;
            return std::array::from_fn(|n| found.words.get(4 * index as usize + n).map_or(0, |&id| values.get(id)));
        }
        let buffer = self.values.1.buffers.get(index as usize);
        let last = match buffer.map(|buffer| buffer.at) {
            Some(BufferAt::Window(_)) => (BASE / WINDOW_PAGE) as u32,
            _ => self.machine.records,
        };
        [BASE as u32, (BASE >> 32) as u32, self.machine.memory.len() as u32 * 4, last]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.memory.borrow()[self.index(address)]
    }

    fn store(&self, address: u64, word: u32) {
        let at = self.index(address);
        self.memory.borrow_mut()[at] = word;
    }
}
