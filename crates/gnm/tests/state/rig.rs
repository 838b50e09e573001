//! Streams of register writes, draws and dispatches, and somebody who does them.

use afterimage_gnm::machine::{Dispatch, Draw, Graphics, Indices, Queue, Registers};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::rows::{ROWS, Register, What};
use afterimage_gnm_types::{reg, value::*};
use afterimage_state::Edges;
use afterimage_stream::{DeviceFeatures, DeviceInfo, Effective, observer};
use proptest::prelude::*;
#[cfg(debug_assertions)]
use proptest::{
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use std::sync::{Arc, Mutex};

/// Where things are in memory.
const START: u64 = 0x10_0000_0000;
const CODE: u64 = START;
const TABLE: u64 = START + 0x1_0000;
const COLOR: u64 = START + 0x10_0000;
const DEPTH: u64 = START + 0x18_0000;
const SIZE: u64 = 0x20_0000;

/// Two programs of each stage: vertices, pixels, groups.
const PROGRAMS: [&str; 6] = [
    "exp pos0 v0, v0, v0, v0 done\n s_endpgm",
    "s_buffer_load_dwordx4 s[16:19], s[4:7], 0x0\n s_waitcnt 0x0\n v_mov_b32 v1, s16\n exp pos0 v1, v0, v0, v0 done\n s_endpgm",
    "exp mrt0 v0, v0, v0, v0 done vm\n s_endpgm",
    "s_buffer_load_dwordx4 s[16:19], s[4:7], 0x0\n s_waitcnt 0x0\n v_mov_b32 v1, s16\n exp mrt0 v1, v0, v0, v0 done vm\n s_endpgm",
    "s_endpgm",
    "s_buffer_load_dwordx4 s[16:19], s[4:7], 0x0\n s_waitcnt 0x0\n s_endpgm",
];

const COMPUTE: Queue = Queue::Compute { pipe: 0, queue: 0 };

/// A step of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A register of both queues.
    Set(u32, u32),
    /// A word of the buffers that programs read, which the processor writes.
    Memory(u64, u32),
    Draw,
    /// A dispatch of the graphics queue, or of the other.
    Dispatch(bool),
}

pub(crate) struct Rig {
    registers: [Registers; 2],
    memory: Regions,
    graphics: Translator,
    draws: Arc<Mutex<Vec<Effective>>>,
}

const fn code(program: u64) -> u32 {
    ((CODE + 256 * program) >> 8) as u32
}

/// The V# of a buffer of 64 bytes.
fn buffer(n: u64) -> [u32; 4] {
    let address = TABLE + 256 * n;
    [address as u32, (address >> 32) as u32, 64, 0x0007_7FAC]
}

impl Rig {
    pub(crate) fn new(edges: Option<&'static Edges>) -> Self {
        let mut memory = Regions::default();
        memory.map(START, SIZE).expect("a range of 48 bits");
        for (at, text) in (0..).zip(PROGRAMS) {
            let words = afterimage_shader_gcn::assemble(text).expect("a program");
            memory.write(CODE + 256 * at, bytemuck::cast_slice(&words)).expect("mapped memory");
        }
        let words: Vec<u32> = (0..256).collect();
        memory.write(TABLE, bytemuck::cast_slice(&words)).expect("mapped memory");
        let features = DeviceFeatures::VIEWPORTS | DeviceFeatures::DEPTH_BOUNDS;
        let info = DeviceInfo { max_texture_2d: 16384, features, ..DeviceInfo::default() };
        let (link, draws) = observer(info);
        let mut rig = Self {
            registers: [Registers::new(), Registers::new()],
            memory,
            graphics: Translator::new(link, "state"),
            draws,
        };
        if let Some(edges) = edges {
            rig.registers.iter_mut().for_each(|registers| registers.tracker.follow(edges));
        }
        use reg::CB_COLOR0_INFO as I;
        let corner = 64 << 16 | 64;
        for (register, values) in [
            (reg::SPI_SHADER_PGM_LO_VS, &[code(1), 0, 0xC0 << 12, 8 << 1][..]),
            (reg::SPI_SHADER_PGM_LO_PS, &[code(3), 0, 0xC0 << 12, 8 << 1]),
            (reg::COMPUTE_PGM_LO, &[code(5), 0]),
            (reg::COMPUTE_PGM_RSRC1, &[0xC0 << 12, 8 << 1]),
            (reg::SPI_SHADER_USER_DATA_VS_0 + 16, &buffer(0)),
            (reg::SPI_SHADER_USER_DATA_PS_0 + 16, &buffer(1)),
            (reg::COMPUTE_USER_DATA_0 + 16, &buffer(2)),
            (
                reg::CB_COLOR0_BASE,
                &[(COLOR >> 8) as u32, 7, 63, 0, I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1)],
            ),
            (reg::DB_DEPTH_SIZE, &[31 << 11 | 31]),
            (reg::DB_Z_READ_BASE, &[(DEPTH >> 8) as u32]),
            (reg::DB_STENCIL_READ_BASE, &[((DEPTH + 0x4_0000) >> 8) as u32]),
            (reg::PA_SC_CLIPRECT_RULE, &[0xFFFF]),
            (reg::CB_TARGET_MASK, &[15]),
            (reg::CB_SHADER_MASK, &[15]),
            (reg::CB_COLOR_CONTROL, &[NORMAL]),
            (reg::SPI_SHADER_POS_FORMAT, &[4]),
            (reg::SPI_SHADER_COL_FORMAT, &[9]),
            (reg::PA_SC_SCREEN_SCISSOR_BR, &[corner]),
            (reg::PA_SC_WINDOW_SCISSOR_BR, &[corner]),
            (reg::PA_SC_GENERIC_SCISSOR_BR, &[corner]),
            (reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]),
        ] {
            rig.registers.iter_mut().for_each(|registers| assert_eq!(registers.set_run(register, values), None));
        }
        rig
    }

    /// Does what a stream says, and returns what each draw was drawn with. `all`: with everything dirty at each.
    pub(crate) fn run(&mut self, ops: &[Op], all: bool) -> Vec<Effective> {
        let Self { registers, memory, graphics, .. } = self;
        for op in ops {
            if all && matches!(op, Op::Draw | Op::Dispatch(_)) {
                registers.iter_mut().for_each(|registers| registers.tracker.mark_all());
            }
            match *op {
                Op::Set(register, value) => {
                    registers.iter_mut().for_each(|registers| assert!(registers.set(register, value)));
                }
                Op::Memory(word, value) => {
                    let at = TABLE + 4 * word;
                    memory.write(at, &value.to_le_bytes()).expect("mapped memory");
                    graphics.cpu_wrote(at, 4);
                }
                Op::Draw => {
                    let draw = Draw { indices: Indices::Auto, count: 6, instances: 1, number: 0, opaque: false };
                    graphics.draw(&mut registers[0], memory, &draw);
                }
                Op::Dispatch(other) => {
                    let dispatch = Dispatch { first: [0; 3], groups: [1; 3], last: None, initiator: 1 };
                    let queue = if other { COMPUTE } else { Queue::Graphics };
                    graphics.dispatch(queue, &mut registers[usize::from(other)], memory, &dispatch);
                }
            }
        }
        graphics.submit();
        std::mem::take(&mut *self.draws.lock().expect("no panic elsewhere"))
    }
}

const NORMAL: u32 = 1 << 4 | ROP3_COPY << 16;

/// Words that a register may hold: what draws something, and now and then anything.
fn value(address: u32, instance: u32) -> BoxedStrategy<u32> {
    let corner = |x: u32, y: u32| y << 16 | x;
    // What lies where a V# does moves it, or leaves it as it is.
    let user = |at: u32| {
        let word = buffer(1)[at as usize % 4];
        if at.is_multiple_of(4) { vec![word, word + 256] } else { vec![word] }
    };
    let known: Vec<u32> = match address {
        reg::SPI_SHADER_PGM_LO_VS => return proptest::sample::select(vec![code(0), code(1)]).boxed(),
        reg::SPI_SHADER_PGM_LO_PS => return proptest::sample::select(vec![code(2), code(3)]).boxed(),
        reg::COMPUTE_PGM_LO => return proptest::sample::select(vec![code(4), code(5)]).boxed(),
        reg::SPI_SHADER_PGM_HI_VS | reg::SPI_SHADER_PGM_HI_PS | reg::COMPUTE_PGM_HI => return Just(0).boxed(),
        reg::SPI_SHADER_PGM_RSRC1_VS | reg::SPI_SHADER_PGM_RSRC1_PS | reg::COMPUTE_PGM_RSRC1 => {
            return proptest::sample::select(vec![0xC0 << 12, 3 << 24 | 0xC0 << 12]).boxed();
        }
        reg::SPI_SHADER_PGM_RSRC2_VS | reg::SPI_SHADER_PGM_RSRC2_PS | reg::COMPUTE_PGM_RSRC2 => {
            return proptest::sample::select(vec![8 << 1, 16 << 1, 8 << 1 | 1]).boxed();
        }
        reg::SPI_SHADER_USER_DATA_VS_0 | reg::SPI_SHADER_USER_DATA_PS_0 | reg::COMPUTE_USER_DATA_0 => user(instance),
        reg::COMPUTE_NUM_THREAD_X | reg::COMPUTE_NUM_THREAD_Y | reg::COMPUTE_NUM_THREAD_Z => vec![1, 2, 8],
        reg::CB_COLOR0_BASE => vec![(COLOR >> 8) as u32, ((COLOR + 0x1_0000) >> 8) as u32],
        reg::CB_COLOR0_PITCH => return proptest::sample::select(vec![7, 15]).boxed(),
        reg::CB_COLOR0_SLICE => return proptest::sample::select(vec![63, 31]).boxed(),
        reg::CB_COLOR0_VIEW => return proptest::sample::select(vec![0, 1 << 13]).boxed(),
        reg::CB_COLOR0_ATTRIB => vec![0],
        reg::CB_COLOR0_INFO => {
            use reg::CB_COLOR0_INFO as I;
            let linear = I::LINEAR_GENERAL.bits(1);
            vec![
                I::FORMAT.bits(COLOR_8_8_8_8) | linear,
                I::FORMAT.bits(COLOR_8_8_8_8) | I::COMP_SWAP.bits(SWAP_ALT) | linear,
                I::FORMAT.bits(COLOR_8_8_8_8) | I::FAST_CLEAR.bits(1) | linear,
                0,
            ]
        }
        reg::CB_COLOR0_CMASK => vec![((TABLE + 0x8000) >> 8) as u32, 0],
        reg::CB_COLOR0_CMASK_SLICE => return proptest::sample::select(vec![0, 1]).boxed(),
        reg::DB_Z_INFO => {
            use reg::DB_Z_INFO as Z;
            let tiles = Z::TILE_MODE_INDEX.bits(2);
            let float = Z::FORMAT.bits(Z_32_FLOAT) | tiles;
            vec![0, Z::FORMAT.bits(Z_16) | tiles, float, float | Z::TILE_SURFACE_ENABLE.bits(1)]
        }
        reg::DB_STENCIL_INFO => {
            use reg::DB_STENCIL_INFO as S;
            vec![0, S::FORMAT.bits(1) | S::TILE_MODE_INDEX.bits(2)]
        }
        reg::DB_DEPTH_SIZE => return proptest::sample::select(vec![31 << 11 | 31, 7 << 11 | 31]).boxed(),
        reg::DB_DEPTH_VIEW => return proptest::sample::select(vec![0, 1 << 24, 1 << 25]).boxed(),
        reg::DB_Z_READ_BASE | reg::DB_STENCIL_READ_BASE => vec![(DEPTH >> 8) as u32, ((DEPTH + 0x4_0000) >> 8) as u32],
        reg::DB_HTILE_DATA_BASE => vec![((TABLE + 0xC000) >> 8) as u32],
        reg::DB_HTILE_SURFACE => vec![0, 1],
        reg::DB_DEPTH_BOUNDS_MIN | reg::DB_DEPTH_BOUNDS_MAX => vec![0, 0.25f32.to_bits(), 1f32.to_bits()],
        reg::DB_RENDER_CONTROL => vec![0, 0, 0, 0, 0, 0, 1, 2],
        reg::DB_DEPTH_CONTROL => vec![0x37, 0x3E, 0x1F7, 0x71_01B7, 0],
        reg::DB_SHADER_CONTROL => vec![0, 0x10, 0x40],
        reg::CB_TARGET_MASK | reg::CB_SHADER_MASK => vec![15, 0xFF, 0xFFFF_FFFF, 7],
        reg::CB_COLOR_CONTROL => vec![NORMAL, NORMAL, NORMAL, 1 << 4 | ROP3_XOR << 16, 2 << 4, 3 << 4],
        reg::PA_CL_CLIP_CNTL => vec![0, 1 << 19, 1 << 16, 3 << 26],
        // The vertex stage chooses of viewports or not.
        reg::PA_CL_VS_OUT_CNTL => vec![0, 1 << 19 | 1 << 21, 1 << 19],
        reg::PA_CL_VTE_CNTL => vec![0x43F, 0, 0x40F],
        reg::PA_SU_SC_MODE_CNTL => vec![0, 1, 2, 4, 1 << 11 | 1 << 12, 1 << 19, 0x240 | 8],
        reg::PA_SC_MODE_CNTL_0 => vec![0, 2],
        reg::PA_SC_CLIPRECT_RULE => vec![0xFFFF, 0xFFFF, 0xAAAA, 0xEEEE],
        reg::PA_SC_SCREEN_SCISSOR_TL | reg::PA_SC_GENERIC_SCISSOR_TL | reg::PA_SC_VPORT_SCISSOR_0_TL => {
            vec![0, 1 << 31]
        }
        reg::PA_SC_WINDOW_SCISSOR_TL => vec![0, 1 << 31],
        reg::PA_SC_WINDOW_OFFSET => vec![0, corner(4, 4)],
        reg::PA_SC_SCREEN_SCISSOR_BR
        | reg::PA_SC_WINDOW_SCISSOR_BR
        | reg::PA_SC_GENERIC_SCISSOR_BR
        | reg::PA_SC_VPORT_SCISSOR_0_BR => {
            return proptest::sample::select(vec![corner(64, 64), corner(32, 64), corner(128, 128)]).boxed();
        }
        reg::VGT_SHADER_STAGES_EN | reg::VGT_STRMOUT_CONFIG => vec![0],
        reg::VGT_PRIMITIVE_TYPE => {
            return proptest::sample::select(vec![
                DI_PT_TRILIST,
                DI_PT_TRISTRIP,
                DI_PT_POINTLIST,
                DI_PT_LINELIST,
                DI_PT_QUADLIST,
                DI_PT_RECTLIST,
            ])
            .boxed();
        }
        reg::TA_BC_BASE_ADDR => vec![(TABLE >> 8) as u32],
        reg::TA_BC_BASE_ADDR_HI => vec![0],
        _ => vec![],
    };
    if known.is_empty() {
        let float = proptest::sample::select([0.0f32, 0.25, 1.0, 32.0, -32.0].map(f32::to_bits).to_vec());
        prop_oneof![2 => 0..4u32, 2 => float, 1 => any::<u32>()].boxed()
    } else {
        prop_oneof![40 => proptest::sample::select(known), 1 => 0..16u32].boxed()
    }
}

/// A write to a state that groups read, and now and then to others.
fn write() -> impl Strategy<Value = Op> {
    let rows = || ROWS.into_iter().flatten();
    let rows: Vec<&'static Register> = rows().filter(|row| matches!(row.what, What::State(_))).collect();
    proptest::sample::select(rows).prop_flat_map(|row| (Just(row), 0..row.count)).prop_flat_map(|(row, instance)| {
        value(row.address, instance).prop_map(move |value| Op::Set(row.address + instance * row.stride, value))
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        20 => write(),
        1 => (0..256u64, any::<u32>()).prop_map(|(word, value)| Op::Memory(word, value)),
        8 => Just(Op::Draw),
        1 => any::<bool>().prop_map(Op::Dispatch),
    ]
}

/// Streams that are likely to draw something.
pub(crate) fn ops() -> impl Strategy<Value = Vec<Op>> {
    proptest::collection::vec(op(), 1..120)
}

/// A fixed set of streams with long beginnings, in which every state is read by whatever reads it.
#[cfg(debug_assertions)]
pub(crate) fn streams() -> Vec<Vec<Op>> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let beginning = proptest::collection::vec(write(), 300);
    (0..60)
        .map(|_| {
            let mut stream = beginning.new_tree(&mut runner).expect("a stream").current();
            stream.extend([Op::Draw, Op::Dispatch(false), Op::Dispatch(true)]);
            stream.extend(ops().new_tree(&mut runner).expect("a stream").current());
            stream
        })
        .collect()
}
