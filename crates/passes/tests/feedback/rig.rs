//! Runs lowered shaders in the interpreter, on words of memory: no Vulkan. Everything that a run touches has to have been put there;
//! reading or writing beside it is a failure of the test.

use std::cell::{Cell, RefCell};

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, BankSource, InputAt, InputDecl, Module, TextureDecl};
use afterimage_passes::feedback::block::{Counters, Draw, Request, VERTEX_BUFFERS, VertexBuffer};
use afterimage_passes::feedback::{Form, Plan};
use bytemuck::{Pod, Zeroable};

/// What untouched words hold.
pub(crate) const FILL: u32 = 0xdead_beef;

/// A piece of memory.
struct Piece {
    address: u64,
    words: RefCell<Vec<u32>>,
    written: bool,
}

/// Device memory.
#[derive(Default)]
pub(crate) struct Memory {
    pieces: Vec<Piece>,
}

impl Memory {
    /// Room for `words` words, filled with [`FILL`]: its address. Pieces lie around a place where the low half of addresses wraps, with
    /// nothing between them.
    pub(crate) fn room(&mut self, words: usize, written: bool) -> u64 {
        let end = |piece: &Piece| piece.address + 4 * piece.words.borrow().len() as u64 + 64;
        let address = self.pieces.last().map_or(0x1_ffff_fe00, end).next_multiple_of(16);
        self.room_at(address, words, written)
    }

    /// Room at an address, behind all that there is.
    pub(crate) fn room_at(&mut self, address: u64, words: usize, written: bool) -> u64 {
        self.pieces.push(Piece { address, words: RefCell::new(vec![FILL; words]), written });
        address
    }

    /// Bytes that shaders may read, `skew` bytes behind an address that is a multiple of 16.
    pub(crate) fn bytes(&mut self, bytes: &[u8], skew: usize) -> u64 {
        let address = self.room((skew + bytes.len()).div_ceil(4), false);
        let mut all = vec![0xa5; (skew + bytes.len()).next_multiple_of(4)];
        all[skew..skew + bytes.len()].copy_from_slice(bytes);
        let piece = self.pieces.last().unwrap();
        for (word, bytes) in piece.words.borrow_mut().iter_mut().zip(all.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().unwrap());
        }
        address + skew as u64
    }

    /// A block that shaders may read and write.
    pub(crate) fn block<T: Pod>(&mut self, block: &T) -> u64 {
        let address = self.room(size_of::<T>() / 4, true);
        self.put(address, block);
        address
    }

    /// Sets a block.
    pub(crate) fn put<T: Pod>(&self, address: u64, block: &T) {
        for (n, bytes) in bytemuck::bytes_of(block).chunks(4).enumerate() {
            let word = u32::from_le_bytes(bytes.try_into().unwrap());
            *self.word(address + 4 * n as u64, false) = word;
        }
    }

    /// The block at an address.
    pub(crate) fn get<T: Pod + Zeroable>(&self, address: u64) -> T {
        let words: Vec<u32> = (0..size_of::<T>() / 4).map(|n| *self.word(address + 4 * n as u64, false)).collect();
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words))
    }

    /// All words of the piece that begins there.
    pub(crate) fn words(&self, address: u64) -> Vec<u32> {
        self.pieces.iter().find(|piece| piece.address == address).unwrap().words.borrow().clone()
    }

    fn word(&self, address: u64, write: bool) -> std::cell::RefMut<'_, u32> {
        let inside =
            |piece: &&Piece| (piece.address..piece.address + 4 * piece.words.borrow().len() as u64).contains(&address);
        let piece = self.pieces.iter().find(inside).unwrap_or_else(|| panic!("nothing is at {address:#x}"));
        assert!(piece.written || !write, "{address:#x} is not to be written");
        std::cell::RefMut::map(piece.words.borrow_mut(), |words| &mut words[(address - piece.address) as usize / 4])
    }
}

/// A run: memory, where the system values are, and the first vertex and the instance of the four lanes.
struct Run<'a> {
    memory: &'a Memory,
    system: u64,
    vertices: Cell<[u32; 4]>,
    instance: Cell<u32>,
}

impl Environment for Run<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::VertexIndex => [self.vertices.get()[lane], 0, 0, 0],
            InputAt::InstanceIndex => [self.instance.get(), 0, 0, 0],
            at => panic!("{at} is read"),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.source {
            BankSource::Feedback => self.memory.get(self.system + 16 * u64::from(index)),
            _ => [index, 2, 3, 4],
        }
    }

    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [texture.slot.into(), 0.5, 0.25, 1.0]
    }

    fn load(&self, address: u64) -> u32 {
        *self.memory.word(address, false)
    }

    fn store(&self, address: u64, word: u32) {
        *self.memory.word(address, true) = word;
    }
}

fn run<'a>(memory: &'a Memory, system: u64) -> Run<'a> {
    Run { memory, system, vertices: Cell::default(), instance: Cell::default() }
}

fn dispatch(module: &Module, memory: &Memory, system: u64, groups: [u32; 3]) {
    let interpreter = Interpreter::new(module).unwrap().step_limit(1 << 24).whole_barriers();
    for y in 0..groups[1] {
        for x in 0..groups[0] {
            let group = Group { id: [x, y, 0], count: groups, wave: 16 };
            interpreter.run_group(&run(memory, system), group).unwrap();
        }
    }
}

/// Runs one group of a gathering shader.
pub(crate) fn capture_group(module: &Module, memory: &Memory, draw: u64, id: [u32; 3], count: [u32; 3]) {
    Interpreter::new(module).unwrap().run_group(&run(memory, draw), Group { id, count, wave: 16 }).unwrap();
}

/// Runs the shader that [`lower`](afterimage_passes::feedback::lower) made, for a draw in memory.
pub(crate) fn capture(module: &Module, form: Form, memory: &Memory, draw: u64, groups: [u32; 3], instances: u32) {
    if form == Form::Gather {
        return dispatch(module, memory, draw, groups);
    }
    let run = run(memory, draw);
    let interpreter = Interpreter::new(module).unwrap().step_limit(1 << 24);
    let vertices = memory.get::<Draw>(draw).vertices;
    for instance in 0..instances {
        run.instance.set(instance);
        for first in (0..vertices).step_by(4) {
            run.vertices.set([0, 1, 2, 3].map(|n| (first + n).min(vertices - 1)));
            interpreter.run(&run).unwrap();
        }
    }
}

/// Runs the `prepare` shader: what is in the blocks that the request names afterwards.
pub(crate) fn prepared(prepare: &Module, memory: &Memory, request: u64) -> Plan {
    dispatch(prepare, memory, request, [1; 3]);
    let at: Request = memory.get(request);
    let counters = memory.get::<Counters>(at.counters);
    // The vertex buffers are those of the draw before.
    let draw = Draw { vertex_buffers: [VertexBuffer::zeroed(); VERTEX_BUFFERS], ..memory.get(at.draw) };
    Plan { draw, groups: memory.get(at.groups), counters }
}
