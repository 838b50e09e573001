//! Cases without Vulkan: the pass's shaders run by the interpreter, in memory made of words.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, Stage, TextureDecl};
use afterimage_passes::feedback::block::{BUFFERS, Counters, Draw, DrawKind, Request};
use afterimage_passes::feedback::table::{self, Provoking};
use afterimage_passes::feedback::{Form, Options, Plan, lower, plan, prepare};
use bytemuck::{Pod, Zeroable};

use crate::case::{Case, FILL, Kind, Layout, Ran, STRIDE, memory_words};
use crate::shader;

/// Instructions that a run of a work group may take: enough for the most indices that a case may have.
const STEPS: u64 = 1 << 34;
/// Sizes of waves that the interpreter pretends, in turn.
const WAVES: [usize; 4] = [8, 32, 64, 4];

/// Runs cases with the interpreter. What was lowered is kept.
pub struct Interp {
    form: Form,
    prepare: Module,
    lowered: HashMap<Option<Layout>, Module>,
    ran: usize,
}

impl Interp {
    /// With shaders in this form.
    pub fn new(form: Form) -> Self {
        Self { form, prepare: prepare(), lowered: HashMap::new(), ran: 0 }
    }

    /// Runs a case.
    ///
    /// # Errors
    /// In words, what the pass, the interpreter or the memory has against it.
    pub fn run(&mut self, case: &Case) -> Result<Ran, String> {
        if !self.lowered.contains_key(&case.layout) {
            let module = shader::vertex(case).map_err(|error| format!("our own shader: {error}"))?;
            let options = Options { form: self.form, ..Options::default() };
            let lowered = lower(&module, &options).map_err(|error| error.to_string())?;
            self.lowered.insert(case.layout.clone(), lowered);
        }
        self.ran += 1;
        let wave = WAVES[self.ran % WAVES.len()];
        let lowered = &self.lowered[&case.layout];
        Capture::new(case, wave).run(&self.prepare, lowered)
    }
}

/// Words at device addresses, from `base` on.
struct Memory {
    base: u64,
    words: RefCell<Vec<u32>>,
    /// An address that there is not, if one was used.
    stray: Cell<Option<u64>>,
}

impl Memory {
    /// Begins so that 4 GiB end a little behind what is given out first.
    fn new() -> Self {
        Self { base: (1 << 32) - 40, words: RefCell::new(Vec::new()), stray: Cell::new(None) }
    }

    fn give(&mut self, words: &[u32]) -> u64 {
        let all = self.words.get_mut();
        let address = self.base + 4 * all.len() as u64;
        all.extend_from_slice(words);
        address
    }

    fn at(&self, address: u64) -> Option<usize> {
        let at = address.checked_sub(self.base).map(|bytes| (bytes / 4) as usize);
        let at = at.filter(|at| *at < self.words.borrow().len());
        if at.is_none() && self.stray.get().is_none() {
            self.stray.set(Some(address));
        }
        at
    }

    fn load(&self, address: u64) -> u32 {
        self.at(address).map_or(0, |at| self.words.borrow()[at])
    }

    fn store(&self, address: u64, word: u32) {
        if let Some(at) = self.at(address) {
            self.words.borrow_mut()[at] = word;
        }
    }

    fn read<T: Pod>(&self, address: u64) -> T {
        let mut value = T::zeroed();
        let words: &mut [u32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut value));
        words.iter_mut().zip(0..).for_each(|(word, n)| *word = self.load(address + 4 * n));
        value
    }

    fn write<T: Pod>(&self, address: u64, value: &T) {
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(value));
        words.iter().zip(0..).for_each(|(word, n)| self.store(address + 4 * n, *word));
    }
}

/// What a shader sees: memory, system values, and in the vertex stage the numbers of four vertices of an instance.
struct World<'a> {
    memory: &'a Memory,
    system: &'a [u32],
    vertices: [u32; 4],
    instance: u32,
}

impl Environment for World<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::VertexIndex => [self.vertices[lane], 0, 0, 0],
            InputAt::InstanceIndex => [self.instance, 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        std::array::from_fn(|n| self.system.get(4 * index as usize + n).copied().unwrap_or(0))
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.memory.load(address)
    }

    fn store(&self, address: u64, word: u32) {
        self.memory.store(address, word);
    }
}

/// A case under way.
struct Capture<'a> {
    case: &'a Case,
    wave: usize,
    memory: Memory,
    /// Where each buffer's memory begins: what lies before the range.
    buffers: [u64; BUFFERS],
    request: Request,
}

impl<'a> Capture<'a> {
    fn new(case: &'a Case, wave: usize) -> Self {
        let mut memory = Memory::new();
        let strides = case.strides();
        let mut buffers = [0; BUFFERS];
        for n in (0..BUFFERS).filter(|&n| strides[n] != 0) {
            buffers[n] = memory.give(&vec![FILL; memory_words(case.ranges[n]) as usize]);
        }
        let provoking = if case.last { Provoking::Last } else { Provoking::First };
        let row = table::row(case.topology).map_or([0; 4], |row| row.words(provoking));
        let mut request = Request {
            row,
            instances: case.instances,
            first_instance: case.first_instance,
            counters: memory.give(&[0; size_of::<Counters>() / 4]),
            draw: memory.give(&[FILL; size_of::<Draw>() / 4]),
            groups: memory.give(&[FILL; 3]),
            sizes: case.ranges.map(|range| range.bytes),
            strides,
            ..Request::zeroed()
        };
        for n in (0..BUFFERS).filter(|&n| strides[n] != 0) {
            request.buffers[n] = buffers[n] + u64::from(case.ranges[n].offset);
        }
        let count = case.vertices();
        match case.kind {
            Kind::Draw => (request.first, request.count) = (case.first, count),
            Kind::Indirect => {
                request.kind = DrawKind::Indirect as u32;
                request.arguments = memory.give(&[count, case.instances, case.first, case.first_instance]);
                (request.instances, request.first_instance) = (FILL, FILL);
            }
            Kind::Indexed => (request.count, request.vertex_offset) = (count, case.first),
            Kind::IndexedIndirect => {
                request.kind = DrawKind::Indirect as u32;
                request.arguments = memory.give(&[count, case.instances, 0, case.first, case.first_instance]);
                (request.instances, request.first_instance) = (FILL, FILL);
            }
            Kind::ByteCount => {
                request.kind = DrawKind::ByteCount as u32;
                (request.counter_offset, request.counter_stride) = (case.first, STRIDE);
                request.arguments = memory.give(&[case.count]);
            }
        }
        if case.kind.is_indexed() {
            request.index_bytes = case.index_type.bytes();
            request.index_size = count * request.index_bytes;
            request.restart = case.restart.into();
            // The first index lies anywhere in a word.
            let before = wave as u32 / 4 % 4 / request.index_bytes * request.index_bytes;
            request.indices = memory.give(&packed(&case.indices, request.index_bytes, before)) + u64::from(before);
            if case.restart {
                request.list_room = count;
                request.list = memory.give(&vec![FILL; 2 * count as usize]);
            }
        }
        Self { case, wave, memory, buffers, request }
    }

    fn run(mut self, prepare: &Module, lowered: &Module) -> Result<Ran, String> {
        let mut ran = Ran::default();
        for rep in 0..self.case.reps {
            if rep > 0 && self.case.resume {
                self.pause(&mut ran);
            }
            self.draw(prepare, lowered)?;
        }
        self.pause(&mut ran);
        let counters: Counters = self.memory.read(self.request.counters);
        ran.counters = counters.bytes;
        if let Some(address) = self.memory.stray.get() {
            return Err(format!("address {address:#x} is no memory"));
        }
        for n in (0..BUFFERS).filter(|&n| self.buffers[n] != 0) {
            let first = ((self.buffers[n] - self.memory.base) / 4) as usize;
            let words = memory_words(self.case.ranges[n]) as usize;
            ran.memory[n] = self.memory.words.borrow()[first..first + words].to_vec();
        }
        Ok(ran)
    }

    /// Ends the feedback and begins it anew: all but the bytes is zero again, and queries have what there was.
    fn pause(&mut self, ran: &mut Ran) {
        let counters: Counters = self.memory.read(self.request.counters);
        ran.needed += counters.needed[0];
        ran.written += counters.written[0];
        self.memory.write(self.request.counters, &Counters { bytes: counters.bytes, ..Counters::zeroed() });
    }

    fn draw(&mut self, prepare: &Module, lowered: &Module) -> Result<(), String> {
        let before: Counters = self.memory.read(self.request.counters);
        let planned = plan(&self.request, &before);
        self.compute(prepare, bytemuck::cast_slice(&[self.request]), [1; 3])?;
        let draw: Draw = self.memory.read(self.request.draw);
        let groups: [u32; 3] = self.memory.read(self.request.groups);
        if let Some(planned) = planned {
            // All but what prepare leaves as it is.
            let Draw { vertex_buffers, request, .. } = draw;
            let prepared = Plan { draw, groups, counters: self.memory.read(self.request.counters) };
            let planned = Plan { draw: Draw { vertex_buffers, request, ..planned.draw }, ..planned };
            if prepared != planned {
                return Err(format!("prepared {prepared:?}, planned {planned:?}"));
            }
        }
        let system: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&draw));
        if lowered.stage == Stage::Compute {
            return self.compute(lowered, system, groups);
        }
        let interpreter = Interpreter::new(lowered).map_err(|error| error.to_string())?.step_limit(STEPS);
        for instance in 0..self.case.instances {
            for first in (0..draw.vertices).step_by(4) {
                // Lanes that are too many do what the last one does, again.
                let vertices = std::array::from_fn(|lane| (first + lane as u32).min(draw.vertices - 1));
                let world = World { memory: &self.memory, system, vertices, instance };
                interpreter.run(&world).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn compute(&self, module: &Module, system: &[u32], count: [u32; 3]) -> Result<(), String> {
        let interpreter = Interpreter::new(module).map_err(|error| error.to_string())?;
        let interpreter = interpreter.step_limit(STEPS).whole_barriers();
        let world = World { memory: &self.memory, system, vertices: [0; 4], instance: 0 };
        let most = u64::from(self.case.whole()).div_ceil(64) + 1;
        if count.iter().map(|n| u64::from(*n)).product::<u64>() > 4 * most {
            return Err(format!("{count:?} work groups for {} vertices", self.case.whole()));
        }
        for y in 0..count[1] {
            for x in 0..count[0] {
                let group = Group { id: [x, y, 0], count, wave: self.wave };
                interpreter.run_group(&world, group).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

/// Indices of so many bytes in words, behind `before` bytes of something else.
pub(crate) fn packed(indices: &[u32], bytes: u32, before: u32) -> Vec<u32> {
    let mut all = vec![0xaa; before as usize];
    all.extend(indices.iter().flat_map(|index| index.to_le_bytes().into_iter().take(bytes as usize)));
    all.resize(all.len().next_multiple_of(4), 0xbb);
    all.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
