//! How each attribute is interpolated: by the host, or by the program itself, from what the vertices have.
//!
//! `v_interp_p1_f32` and `v_interp_p2_f32` give P0 + I * P10 + J * P20, where P0 is what the first vertex has, P10 and P20 are what the
//! second and third have more, and I and J are the weights of these two. Where the weights are those that the hardware gave, the host
//! interpolates. Where the program computes them, moves P10 and P20, or reads the weights for something else, it has to have vertices and
//! weights as the hardware has them. After AMD's "Sea Islands Instruction Set Architecture", section 12.12.

use afterimage_abi::corners::Corner;
use afterimage_ir::Interp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Flow;
use super::masks::Masks;
use crate::inst::Operand;
use crate::io::{HwStage, Source};
use crate::tables::{Kind, Op};

/// What `SPI_PS_INPUT_ADDR` gives registers to, by its bits: registers, and how attributes are interpolated with them.
pub(super) const INPUTS: [(u8, Option<Interp>); 16] = [
    (2, Some(Interp::Sample)),
    (2, Some(Interp::Smooth)),
    (2, Some(Interp::Centroid)),
    (3, None),
    (2, Some(Interp::Linear)),
    (2, Some(Interp::Linear)),
    (2, Some(Interp::Linear)),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
    (1, None),
];
/// Of [`INPUTS`] the weights divided by w, and 1 / w.
pub(super) const PULL_MODEL: usize = 3;

/// So often each block is looked at, on average, until no more is known of weights.
const ROUNDS: usize = 64;

/// Bits of `SPI_PS_INPUT_CNTL_n`.
const FROM_DEFAULT: u32 = 1 << 5;
const FLAT: u32 = 1 << 10;
const POINT_SPRITE: u32 = 1 << 17;

/// What an attribute is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attribute {
    /// The place in a point.
    PointSprite,
    /// A constant, by its number.
    Default(u32),
    /// Parameter of the vertex stage, which `flat` ones are not interpolated.
    Parameter { location: u8, flat: bool },
    /// Parameter of the vertex stage whose P10 and P20 are what the second and third vertex have.
    Raw { location: u8 },
}

impl Attribute {
    pub(super) fn of(source: &Source, number: u8) -> Attribute {
        let control = source.registers.ps_input_cntl.get(usize::from(number)).copied().unwrap_or(number.into());
        let (location, flat) = ((control & 31) as u8, control & FLAT != 0);
        match control & FROM_DEFAULT != 0 {
            _ if control & POINT_SPRITE != 0 => Attribute::PointSprite,
            // Both bits: the parameter cache is read as it is.
            true if flat => Attribute::Raw { location },
            true => Attribute::Default(control >> 8 & 3),
            false => Attribute::Parameter { location, flat },
        }
    }

    fn is_flat(self) -> bool {
        matches!(self, Attribute::Parameter { flat: true, .. } | Attribute::Raw { .. })
    }

    pub(super) fn location(self) -> Option<u8> {
        match self {
            Attribute::Parameter { location, .. } | Attribute::Raw { location } => Some(location),
            Attribute::PointSprite | Attribute::Default(_) => None,
        }
    }
}

/// What an instruction of VINTRP does here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Nothing: the second step does it.
    Nothing,
    /// The host interpolates.
    Host(Interp),
    /// From the vertices, with the weights of this way: the host does it in another for this location.
    Weighed(Interp),
    /// A step as the hardware does it, with the weight in a register.
    Step,
    /// What is moved: P0, P10 or P20, as the hardware has them.
    Moved,
}

/// What is known of a program's interpolation.
#[derive(Default)]
pub(super) struct Plan {
    ways: FxHashMap<usize, Way>,
    /// Whether the program reads weights otherwise than to interpolate as the host does.
    pub(super) reads_weights: bool,
    /// The first location that no attribute has.
    pub(super) free: u8,
}

/// What a program does with attributes, and what was declared of vertices.
pub(super) struct Interpolation {
    pub(super) plan: Plan,
    /// Inputs beside the attributes.
    pub(super) extra: Vec<Extra>,
}

/// An input that a geometry shader of the host gives.
pub(super) struct Extra {
    pub(super) corner: Corner,
    /// How it was declared first: what is interpolated with perspective has another location than what is without.
    pub(super) interp: Interp,
    pub(super) location: u8,
}

impl Plan {
    pub(super) fn new(source: &Source, flow: &Flow, masks: &Masks) -> Plan {
        let mut plan = Plan::default();
        if source.stage != HwStage::Ps {
            return plan;
        }
        let mut finder = Finder { source, flow, masks, weights: FxHashMap::default(), read: [false; 3] };
        finder.run();
        // Of each location: drivers may interpolate all of its components in one way.
        let mut first_ways: FxHashMap<u8, Interp> = FxHashMap::default();
        // Attributes and components of which a step is done in registers.
        let mut in_registers: FxHashSet<(u8, u8)> = FxHashSet::default();
        let interpolating = || flow.insts.iter().enumerate().filter_map(|(at, inst)| Some((at, inst, inst.interp()?)));
        for (at, inst, fields) in interpolating() {
            let attribute = Attribute::of(source, fields.attr);
            let location = attribute.location();
            plan.free = plan.free.max(location.map_or(0, |location| location + 1));
            let interp = match inst.op {
                Op::VInterpP2F32 => match finder.way(at) {
                    Some(_) if attribute.is_flat() => Interp::Flat,
                    Some(interp) => interp,
                    None => {
                        in_registers.insert((fields.attr, fields.chan));
                        plan.ways.insert(at, Way::Step);
                        continue;
                    }
                },
                Op::VInterpMovF32 if fields.parameter == 2 => Interp::Flat,
                Op::VInterpMovF32 => {
                    plan.ways.insert(at, Way::Moved);
                    continue;
                }
                _ => continue,
            };
            let first = location.map_or(interp, |at| *first_ways.entry(at).or_insert(interp));
            let way = if first.shares_location(interp) { Way::Host(interp) } else { Way::Weighed(interp) };
            plan.ways.insert(at, way);
        }
        for (at, inst, fields) in interpolating() {
            if inst.op == Op::VInterpP1F32 {
                let step = in_registers.contains(&(fields.attr, fields.chan));
                plan.ways.insert(at, if step { Way::Step } else { Way::Nothing });
            }
        }
        let [read, stored, lost] = finder.read;
        plan.reads_weights = read || !in_registers.is_empty() || stored && lost;
        plan
    }

    /// What the instruction of this number does.
    pub(super) fn way(&self, at: usize) -> Way {
        self.ways.get(&at).copied().unwrap_or(Way::Nothing)
    }
}

/// What a vector register may have in it: bits.
type Content = u8;
const SMOOTH: Content = 1;
const CENTROID: Content = 2;
const SAMPLE: Content = 4;
const LINEAR: Content = 8;
const PULLED: Content = 16;
/// Something else that the program computed.
const COMPUTED: Content = 32;
/// Something out of memory or another lane.
const LOADED: Content = 64;
const EITHER: Content = SMOOTH | CENTROID;
/// Weights as they were given.
const GIVEN: Content = SMOOTH | CENTROID | SAMPLE | LINEAR | PULLED;

/// Of every vector register.
type Contents = [Content; 256];

/// Follows weights through a program.
struct Finder<'a> {
    source: &'a Source,
    flow: &'a Flow,
    masks: &'a Masks,
    /// What the weight of each second step may be.
    weights: FxHashMap<usize, Content>,
    /// Whether a weight is read otherwise, whether one is stored, and whether one that was loaded is no way to interpolate.
    read: [bool; 3],
}

impl Finder<'_> {
    fn run(&mut self) {
        let mut starts: Vec<Option<Box<Contents>>> = vec![None; self.flow.blocks.len()];
        starts[0] = Some(Box::new(self.start()));
        let mut open = vec![0u32];
        let mut rounds = ROUNDS * self.flow.blocks.len();
        while let Some(number) = open.pop() {
            let block = self.flow.blocks[number as usize];
            let Some(mut contents) = starts[number as usize].clone() else { continue };
            for at in block.first..block.end {
                self.step(at, &mut contents);
            }
            let Some(left) = rounds.checked_sub(1) else { return };
            rounds = left;
            for to in block.exit.targets() {
                match &mut starts[to as usize] {
                    Some(start) => {
                        let mut grown = false;
                        for (old, new) in start.iter_mut().zip(contents.iter()) {
                            grown |= *new & !*old != 0;
                            *old |= new;
                        }
                        if grown {
                            open.push(to);
                        }
                    }
                    start => {
                        *start = Some(contents.clone());
                        open.push(to);
                    }
                }
            }
        }
    }

    fn start(&self) -> Contents {
        let mut contents = [0; 256];
        for (bit, first, count) in registers(self.source) {
            let content = match INPUTS[bit].1 {
                Some(Interp::Smooth) => SMOOTH,
                Some(Interp::Centroid) => CENTROID,
                Some(Interp::Sample) => SAMPLE,
                Some(Interp::Linear) => LINEAR,
                Some(Interp::Flat) => continue,
                None if bit == PULL_MODEL => PULLED,
                None => continue,
            };
            contents[usize::from(first)..usize::from(first + count)].fill(content);
        }
        contents
    }

    fn step(&mut self, at: usize, contents: &mut Contents) {
        let inst = &self.flow.insts[at];
        let content = |operand: Operand| operand.vgpr().map_or(0, |n| contents[usize::from(n)]);
        let computed = |content: Content| if content == 0 { COMPUTED } else { content };
        let result = match (inst.op, inst.kind()) {
            (Op::VInterpP2F32, _) => {
                *self.weights.entry(at).or_default() |= content(inst.src[0]);
                COMPUTED
            }
            (Op::VInterpP1F32 | Op::VInterpMovF32, _) => COMPUTED,
            (Op::VMovB32, _) => computed(content(inst.src[0])),
            (Op::VCndmaskB32, _) => computed(content(inst.src[0])) | computed(content(inst.src[1])),
            (_, kind) => {
                let registers = inst.reads();
                let mut words = registers.iter().flat_map(|read| (0..read.count).filter_map(|n| read.first.word(n)));
                // What is a weight in some lanes and something else in others is the latter where it is read so.
                let reads = words.any(|word| matches!(content(word), 1..=GIVEN));
                self.read[usize::from(matches!(kind, Kind::Store { .. }))] |= reads;
                let loads = matches!(kind, Kind::Load { .. }) || inst.op == Op::VReadlaneB32;
                if loads { LOADED } else { COMPUTED }
            }
        };
        for written in inst.writes() {
            for n in (0..written.count).filter_map(|n| written.first.word(n)?.vgpr()) {
                let register = &mut contents[usize::from(n)];
                *register = if self.masks.exec[at] { result } else { *register | result };
            }
        }
    }

    /// How attributes are interpolated with the weight of a second step; none if the program computed it.
    fn way(&mut self, at: usize) -> Option<Interp> {
        let content = self.weights.get(&at).copied().unwrap_or(LOADED);
        let way = match content {
            SMOOTH => Some(Interp::Smooth),
            // The same where the pixel is covered.
            CENTROID | EITHER => Some(Interp::Centroid),
            SAMPLE => Some(Interp::Sample),
            LINEAR => Some(Interp::Linear),
            _ if content & LOADED != 0 || content == 0 => self.only_way(),
            _ => None,
        };
        self.read[2] |= way.is_none() && content & LOADED != 0;
        way
    }

    /// The only way of interpolating that the program asks for, if there is one.
    fn only_way(&self) -> Option<Interp> {
        let mut ways = registers(self.source).filter_map(|(bit, ..)| INPUTS[bit].1);
        let first = ways.next()?;
        ways.all(|way| way == first).then_some(first)
    }
}

/// The inputs that are filled: bit, first register, registers.
pub(super) fn registers(source: &Source) -> impl Iterator<Item = (usize, u8, u8)> {
    let (reserved, filled) = (source.registers.ps_input_addr, source.registers.ps_input_ena);
    let mut next = 0;
    INPUTS.iter().enumerate().filter_map(move |(bit, &(count, _))| {
        let first = next;
        let has = (reserved | filled) >> bit & 1 != 0;
        next += if has { count } else { 0 };
        (filled >> bit & 1 != 0).then_some((bit, first, count))
    })
}
