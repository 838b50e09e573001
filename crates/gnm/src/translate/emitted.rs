//! Indices of what a geometry shader put out, made on the GPU by the programs of [`afterimage_shader_gcn::emitted`]: the same that the
//! processor makes where it knows, or waits for, what the shader said.

use super::Translator;
use super::own::{Own, Use};
use super::primitives::Primitive;
use afterimage_shader_gcn::emitted::{ARGUMENTS, BUFFERS, Buffer, Key, Step};
use afterimage_shader_gcn::io::geometry::{self, LANES};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Port, PortError};

/// Where a lane's vertices of a stream lie among the words behind a geometry shader: the programs' register 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) wave: u32,
    pub(super) row: u32,
    pub(super) first: u32,
    pub(super) step: u32,
}

/// What is to be made of which log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitted {
    /// Strips of what.
    pub(super) strips: Primitive,
    /// Whether the last vertex of a primitive is the one that provokes.
    pub(super) last: bool,
    pub(super) lanes: u32,
    /// `VGT_GS_MAX_VERT_OUT`.
    pub(super) max_vert_out: u32,
    /// The stream, and how many there are in the log.
    pub(super) stream: [u32; 2],
    pub(super) places: Places,
    /// Lanes of a subgroup, words of it in the list of primitives, subgroups of an instance, invocations, where there are some.
    pub(super) subgroups: Option<[u32; 4]>,
    pub(super) log: StorageBinding,
    /// The list of primitives.
    pub(super) list: StorageBinding,
}

impl Emitted {
    /// Most indices that there can be.
    pub(super) fn most_indices(&self) -> u64 {
        let most = geometry::most_vertices(self.max_vert_out) as usize;
        u64::from(self.lanes) * self.strips.room(most) as u64
    }

    /// What the programs are told: see [`afterimage_shader_gcn::emitted`].
    fn said(&self) -> [[u32; 4]; 4] {
        let record = geometry::record(self.max_vert_out);
        let [stream, streams] = self.stream;
        let Places { wave, row, first, step } = self.places;
        let (_, row_of_strips) = self.strips.chosen(self.last, 0).unwrap_or_default();
        [
            [record * streams, record * stream, self.lanes, geometry::most_vertices(self.max_vert_out)],
            row_of_strips,
            [wave, row, first, step],
            self.subgroups.unwrap_or_default(),
        ]
    }
}

/// The shaders: of each step, with rings in memory and on-chip.
#[derive(Debug, Default)]
pub(super) struct Shaders([[ObjectId; 2]; Step::ALL.len()]);

impl Shaders {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut Port) {
        std::mem::take(self).0.into_iter().flatten().filter(|id| !id.is_none()).for_each(|id| port.recycle(id));
    }
}

impl Translator {
    /// Makes the indices. The buffers that have them and the arguments of the draw.
    pub(super) fn make_emitted(&mut self, emitted: &Emitted) -> Result<[Own; 2], PortError> {
        let groups = emitted.lanes.div_ceil(LANES);
        let words = |words: u64| words * 4;
        let sizes = [
            (Use::EmittedOfLanes, words(emitted.lanes.into())),
            (Use::EmittedOfGroups, words(groups.into())),
            (Use::EmittedIndices, words(emitted.most_indices())),
            (Use::EmittedArguments, ARGUMENTS),
        ];
        let mut storage = [StorageBinding::default(); BUFFERS];
        (storage[Buffer::Log as usize], storage[Buffer::List as usize]) = (emitted.log, emitted.list);
        for ((what, size), slot) in sizes.into_iter().zip(&mut storage[Buffer::Lanes as usize..]) {
            *slot = StorageBinding { buffer: self.own_buffer(what, size)?, word: 0, offset: 0, size };
        }
        self.bind_storage(Stage::Compute, &storage);
        self.put_draw(Stage::Compute, &emitted.said());
        for step in Step::ALL {
            let shader = self.emitted_shader(step, emitted.subgroups.is_some())?;
            let groups = if step == Step::Sum { 1 } else { groups };
            self.port.push(&Dispatch { shader, groups: [groups, 1, 1] });
        }
        Ok([Use::EmittedIndices, Use::EmittedArguments].map(|what| self.owned.get(what)))
    }

    fn emitted_shader(&mut self, step: Step, on_chip: bool) -> Result<ObjectId, PortError> {
        let place = &mut self.emitted.0[step as usize][usize::from(on_chip)];
        if place.is_none() {
            let id = self.port.allocate(ObjectKind::Shader)?;
            let key = Key { step: step as u32, on_chip: on_chip.into() };
            let code = self.port.upload_bytes(bytemuck::bytes_of(&key))?;
            let (stage, language) = (Stage::Compute as u32, Language::GcnEmitted as u32);
            self.port.push(&CreateShader { id, stage, language, pad: 0, code });
            *place = id;
        }
        Ok(*place)
    }
}

/// What the programs write for logs and lists of these words, by the interpreter.
#[cfg(test)]
pub(super) fn interpreted(emitted: &Emitted, log: &[u32], list: &[u32]) -> Vec<u32> {
    let mut buffers = run_in_interpreter(emitted, emitted.said(), log, list);
    let arguments = buffers.swap_remove(Buffer::Arguments as usize);
    assert_eq!(arguments[1..], [1, 0, 0, 0]);
    let mut indices = buffers.swap_remove(Buffer::Indices as usize);
    indices.truncate(arguments[0] as usize);
    indices
}

/// The buffers behind the programs, which are told `said`. Accesses beyond their ends panic.
#[cfg(test)]
fn run_in_interpreter(emitted: &Emitted, said: [[u32; 4]; 4], log: &[u32], list: &[u32]) -> Vec<Vec<u32>> {
    use afterimage_abi::{Bank, GcnBank};
    use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
    use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl};
    use std::cell::RefCell;

    /// Buffers at addresses of their own.
    struct World<'a> {
        said: [[u32; 4]; 4],
        buffers: &'a RefCell<Vec<Vec<u32>>>,
        group: u32,
    }

    impl World<'_> {
        fn at(address: u64) -> (usize, usize) {
            ((address >> 32) as usize, (address & 0xFFFF_FFFF) as usize / 4)
        }
    }

    impl Environment for World<'_> {
        fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
            if decl.at == InputAt::LocalIndex { [lane as u32, 0, 0, 0] } else { [self.group, 0, 0, 0] }
        }

        fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
            if bank.id == Bank::gcn(Stage::Compute, GcnBank::Draw) as u8 {
                return self.said[index as usize];
            }
            [0, index, 4 * self.buffers.borrow()[index as usize].len() as u32, 0]
        }

        fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
            unreachable!("the programs have no textures")
        }

        fn load(&self, address: u64) -> u32 {
            let (buffer, word) = Self::at(address);
            self.buffers.borrow()[buffer][word]
        }

        fn store(&self, address: u64, value: u32) {
            let (buffer, word) = Self::at(address);
            self.buffers.borrow_mut()[buffer][word] = value;
        }
    }

    let groups = emitted.lanes.div_ceil(LANES);
    let room = |words: usize| vec![u32::MAX; words];
    let made = [emitted.lanes as usize, groups as usize, emitted.most_indices() as usize, 5].map(room);
    let buffers = RefCell::new([vec![log.to_vec(), list.to_vec()], made.into()].concat());
    for step in Step::ALL {
        let key = Key { step: step as u32, on_chip: emitted.subgroups.is_some().into() };
        let module = afterimage_shader_gcn::emitted::lift(key).expect("a program");
        let interpreter = Interpreter::new(&module).expect("a program").step_limit(1 << 30).whole_barriers();
        let groups = if step == Step::Sum { 1 } else { groups };
        for group in 0..groups {
            let world = World { said, buffers: &buffers, group };
            let group = Group { id: [group, 0, 0], count: [groups, 1, 1], wave: 32 };
            interpreter.run_group(&world, group).expect("it ends");
        }
    }
    buffers.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever writes a stream says what he likes.
    #[test]
    fn whatever_is_said_stays_in_the_buffers_and_comes_to_an_end() {
        let places = Places { wave: 1, row: 1, first: 0, step: 1 };
        let none = StorageBinding::default();
        let emitted = |subgroups| Emitted {
            strips: Primitive::TriangleStrip,
            last: false,
            lanes: 70,
            max_vert_out: 4,
            stream: [0, 1],
            places,
            subgroups,
            log: none,
            list: none,
        };
        let values = [0, 1, 2, 63, 1 << 16, 1 << 31, u32::MAX - 1, u32::MAX];
        let mut state = 1u64;
        for round in 0..40 {
            let said = std::array::from_fn(|_| {
                std::array::from_fn(|_| {
                    state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
                    values[(state >> 40) as usize % values.len()]
                })
            });
            let on_chip = (round % 2 == 1).then_some([64, 8, 2, 1]);
            run_in_interpreter(&emitted(on_chip), said, &[u32::MAX; 150], &[u32::MAX; 20]);
        }
    }
}
