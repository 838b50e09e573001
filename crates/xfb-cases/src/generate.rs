//! The harness's cases: all of the small ones, and random ones of everything else.

use serde_json::Value;

use crate::case::{BUFFERS, Capture, Case, Component, IndexType, Kind, Layout, Output, Range, STRIDE};

/// Vertices up to which every number is tried.
pub const MOST: u32 = 33;

/// Layouts that random cases share: each is a shader, and pipelines, to compile.
const LAYOUTS: u32 = 48;

/// Numbers that look random, the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Begins a sequence.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: u32) -> u32 {
        let half = self.number() >> 32;
        ((half * u64::from(end)) >> 32) as u32
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of some.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

/// How the vertices of the exhaustive cases come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Direct,
    Indirect,
    ByteCount,
    Indices(IndexType),
    IndexedIndirect,
    /// With restarts at every so many indices, the first of them after so many.
    Restarts(IndexType, u32, u32),
}

const WAYS: [Way; 11] = [
    Way::Direct,
    Way::Indirect,
    Way::ByteCount,
    Way::Indices(IndexType::U8),
    Way::Indices(IndexType::U16),
    Way::Indices(IndexType::U32),
    Way::IndexedIndirect,
    Way::Restarts(IndexType::U8, 5, 4),
    Way::Restarts(IndexType::U16, 8, 0),
    Way::Restarts(IndexType::U32, 13, 7),
    // Nothing but restarts between single vertices.
    Way::Restarts(IndexType::U16, 2, 1),
];

/// Every topology, 0 to 33 vertices, 1 and 3 instances, both conventions, every way for vertices to come.
pub fn exhaustive() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in 0..10 {
        for last in [false, true] {
            for instances in [1, 3] {
                for way in WAYS {
                    cases.extend((0..=MOST).map(|n| one(topology, last, instances, way, n)));
                }
            }
        }
    }
    number(&mut cases, 0);
    cases
}

fn number(cases: &mut [Case], first: usize) {
    cases.iter_mut().enumerate().for_each(|(n, case)| case.id = Value::from(first + n));
}

fn one(topology: u32, last: bool, instances: u32, way: Way, n: u32) -> Case {
    let mut case = Case::new(topology, last, n, instances);
    // Indices that do not rise, and come twice.
    let index = |at: u32| (at * 7 + 3) % 23;
    match way {
        Way::Direct => {}
        Way::Indirect => case.kind = Kind::Indirect,
        Way::ByteCount => (case.kind, case.count) = (Kind::ByteCount, n * STRIDE + n % STRIDE),
        Way::Indices(ty) => {
            (case.kind, case.index_type) = (Kind::Indexed, ty);
            case.indices = (0..n).map(index).collect();
        }
        Way::IndexedIndirect => {
            case.kind = Kind::IndexedIndirect;
            case.indices = (0..n).map(index).collect();
        }
        Way::Restarts(ty, every, first) => {
            (case.kind, case.index_type, case.restart) = (Kind::Indexed, ty, true);
            case.indices = (0..n).map(|at| if at % every == first % every { ty.most() } else { index(at) }).collect();
        }
    }
    case.ranges[0].bytes = case.whole() * STRIDE;
    case
}

/// Random cases: capacities, offsets, appends, resumes, first vertices and instances, restarts, layouts.
pub fn random(seed: u64, count: usize) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let layouts: Vec<Layout> = (0..LAYOUTS).map(|_| layout(&mut rng)).collect();
    let mut cases: Vec<Case> = (0..count).map(|_| any(&mut rng, &layouts)).collect();
    number(&mut cases, 0);
    cases
}

fn any(rng: &mut Rng, layouts: &[Layout]) -> Case {
    let n = match rng.below(8) {
        0..=3 => rng.below(12),
        4..=6 => rng.below(80),
        // More than a work group, and now and then more than several.
        _ => rng.below(700),
    };
    let instances = rng.pick(&[1, 1, 1, 2, 3, 7, 0]);
    let mut case = Case::new(rng.below(10), rng.once_in(2), n, instances);
    case.kind = rng.pick(&Kind::ALL);
    // As far as numbers go, where the last instance's is still one.
    case.first_instance = match rng.below(6) {
        0..=2 => 0,
        3 | 4 => rng.below(1000),
        _ => rng.below(u32::MAX - instances),
    };
    case.reps = rng.pick(&[1, 1, 1, 2, 3, 5]);
    case.resume = rng.once_in(2);
    match case.kind {
        Kind::Draw | Kind::Indirect => {
            case.first = match rng.below(6) {
                0..=2 => 0,
                3 | 4 => rng.below(100_000),
                // Some go over the greatest number and begin anew.
                _ => rng.pick(&[1 << 24, 1 << 31, 0, n / 2 + 12_345_678]).wrapping_sub(n / 2),
            };
        }
        Kind::ByteCount => {
            case.first = match rng.below(6) {
                0..=2 => 0,
                3 | 4 => rng.below(64),
                _ => rng.number() as u32,
            };
            let count = case.first.saturating_add(n * STRIDE + rng.below(STRIDE));
            case.count = if rng.once_in(8) { rng.below(70) } else { count };
        }
        Kind::Indexed | Kind::IndexedIndirect => {
            case.index_type = rng.pick(&IndexType::ALL);
            case.restart = rng.once_in(2);
            let most = case.index_type.most();
            // Some indices beyond, so that the offset takes them back; never all ones but for restarts.
            let end = most.min(5000);
            case.first = match rng.below(4) {
                0 => rng.below(100_000),
                1 => rng.below(100).wrapping_neg(),
                _ => 0,
            };
            let rare = rng.pick(&[2, 4, 12, 100]);
            let restart = case.restart;
            let base = if case.first as i32 == 0 || case.first < 1 << 31 { 0 } else { case.first.wrapping_neg() };
            let index = |rng: &mut Rng| match restart && rng.once_in(rare) {
                true => most,
                false => base + rng.below(end - base),
            };
            case.indices = (0..n).map(|_| index(rng)).collect();
        }
    }
    if rng.once_in(2) {
        case.layout = Some(layouts[rng.below(LAYOUTS) as usize].clone());
    }
    let (whole, strides) = (case.whole(), case.strides());
    for n in (0..BUFFERS).filter(|&n| strides[n] != 0) {
        let all = whole * strides[n];
        let bytes = match rng.below(6) {
            0 => rng.below(strides[n] * 4),
            1 => rng.below(all + 1),
            2 => all / 3 / strides[n].max(1) * strides[n],
            _ => all,
        };
        case.ranges[n] = Range { bytes, offset: if rng.once_in(2) { 4 * rng.below(32) } else { 0 } };
    }
    case
}

/// Several values of all kinds to several buffers, whole and in parts, with gaps.
fn layout(rng: &mut Rng) -> Layout {
    let mut layout = Layout::default();
    let mut locations = 0;
    for _ in 0..1 + rng.below(4) {
        let component = rng.pick(&Component::ALL).1;
        let lanes = if component == Component::Wide { rng.pick(&[2, 4]) } else { 1 + rng.below(4) };
        let elements = if rng.once_in(4) { 2 + rng.below(2) } else { 1 };
        if locations + elements > 8 {
            break;
        }
        locations += elements;
        layout.outputs.push(Output { component, lanes, elements });
    }
    let buffers = 1 + rng.below(BUFFERS as u32);
    let outputs: Vec<Output> = layout.locations().collect();
    for (location, output) in outputs.iter().enumerate() {
        if location > 0 && rng.once_in(6) {
            continue;
        }
        let (component, lanes) = if output.lanes > 1 && rng.once_in(4) && output.component != Component::Wide {
            let component = rng.below(output.lanes);
            (component, 1 + rng.below(output.lanes - component))
        } else {
            (0, output.lanes)
        };
        let buffer = rng.below(buffers);
        let stride = &mut layout.strides[buffer as usize];
        if rng.once_in(4) {
            *stride += 4 * (1 + rng.below(3));
        }
        if output.component == Component::Wide {
            *stride = stride.next_multiple_of(8);
        }
        layout.captures.push(Capture { location: location as u32, component, lanes, buffer, offset: *stride });
        *stride += 4 * lanes;
    }
    // Some words are in another buffer too.
    if let Some(first) = layout
        .captures
        .first()
        .copied()
        .filter(|first| buffers > 1 && outputs[first.location as usize].component != Component::Wide)
        && rng.once_in(3)
    {
        let buffer = (first.buffer + 1) % buffers;
        let stride = &mut layout.strides[buffer as usize];
        layout.captures.push(Capture { buffer, lanes: 1, offset: *stride, ..first });
        *stride += 4;
    }
    for (n, stride) in layout.strides.iter_mut().enumerate().filter(|(_, stride)| **stride != 0) {
        let wide = |capture: &Capture| outputs[capture.location as usize].component == Component::Wide;
        if layout.captures.iter().any(|capture| capture.buffer as usize == n && wide(capture)) {
            *stride = stride.next_multiple_of(8);
        }
        if rng.once_in(4) {
            *stride += 8;
        }
    }
    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_go_through_their_text() {
        let mut cases = exhaustive();
        assert_eq!(cases.len(), 10 * 2 * 2 * 11 * 34);
        cases = cases.into_iter().step_by(97).chain(random(3, 2000)).collect();
        for case in &mut cases {
            // What a file of indexed cases says of `cnt` is not looked at.
            if case.kind.is_indexed() {
                case.count = 0;
            }
        }
        let back = Case::all_of(&Case::file(&cases)).expect("our own cases");
        for (case, back) in cases.iter().zip(&back) {
            assert_eq!(case, back);
        }
        assert_eq!(cases.len(), back.len());
    }

    #[test]
    fn random_cases_have_everything() {
        let cases = random(1, 3000);
        let count = |what: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| what(case)).count();
        for kind in Kind::ALL {
            assert!(count(&|case| case.kind == kind) > 300);
        }
        assert!(count(&|case| case.indices.contains(&case.index_type.most()) && case.restart) > 100);
        assert!(count(&|case| case.ranges[0].bytes == 0 || case.ranges[0].bytes % 4 != 0) > 100);
        assert!(count(&|case| case.strides().iter().filter(|stride| **stride != 0).count() > 2) > 100);
        let cut = |case: &Case| {
            let ran = crate::model::run(case);
            ran.written != 0 && ran.written != ran.needed
        };
        assert!(count(&cut) > 100);
    }
}
