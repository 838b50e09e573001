//! What a case must leave behind, in plain Rust: no shader, no device, and nothing of `afterimage_passes`. The third opinion.
//!
//! Written from the specification's pictures: a primitive is there when all of its vertices are, those that are only adjacent
//! included.

use crate::case::{BUFFERS, Case, Component, FILL, Kind, Layout, Ran, memory_words};

/// Runs a case.
pub fn run(case: &Case) -> Ran {
    let strides = case.strides();
    let mut ran = Ran::default();
    for n in (0..BUFFERS).filter(|&n| strides[n] != 0) {
        ran.memory[n] = vec![FILL; memory_words(case.ranges[n]) as usize];
    }
    for _ in 0..case.reps {
        for instance in 0..case.instances {
            let instance = case.first_instance.wrapping_add(instance);
            for run in runs(case) {
                for p in 0.. {
                    let Some(vertices) = primitive(case.topology, case.last, p, run.len() as u64) else { break };
                    record(case, &mut ran, vertices.iter().map(|&at| run[at as usize]), instance);
                }
            }
        }
    }
    ran
}

/// The vertices of an instance, by number, in runs without a restart.
fn runs(case: &Case) -> Vec<Vec<u32>> {
    match case.kind {
        Kind::Draw | Kind::Indirect => vec![(0..case.count).map(|n| case.first.wrapping_add(n)).collect()],
        Kind::ByteCount => vec![(0..case.vertices()).collect()],
        Kind::Indexed | Kind::IndexedIndirect => {
            let restart = |index: &u32| case.restart && *index == case.index_type.most();
            let run = |run: &[u32]| run.iter().map(|index| index.wrapping_add(case.first)).collect();
            case.indices.split(restart).map(run).collect()
        }
    }
}

/// Positions in a run of `n` of the vertices that primitive `p` records; nothing if it is not complete.
fn primitive(topology: u32, last: bool, p: u64, n: u64) -> Option<Vec<u64>> {
    let odd = p % 2 == 1;
    // All of the primitive's vertices, in the order of the specification's pictures, and which of them are recorded.
    let (first, size, recorded): (u64, u64, &[u64]) = match topology {
        0 => (p, 1, &[0]),
        1 => (2 * p, 2, &[0, 1]),
        2 => (p, 2, &[0, 1]),
        3 => (3 * p, 3, &[0, 1, 2]),
        // Odd triangles wind the other way, so two of their vertices change places: not the one that provokes.
        4 if odd && last => (p, 3, &[1, 0, 2]),
        4 if odd => (p, 3, &[0, 2, 1]),
        4 => (p, 3, &[0, 1, 2]),
        // The hub is everybody's.
        5 if n >= p + 3 => return Some(if last { vec![0, p + 1, p + 2] } else { vec![p + 1, p + 2, 0] }),
        6 => (4 * p, 4, &[1, 2]),
        7 => (p, 4, &[1, 2]),
        8 => (6 * p, 6, &[0, 2, 4]),
        9 if odd && last => (2 * p, 6, &[2, 0, 4]),
        9 if odd => (2 * p, 6, &[0, 4, 2]),
        9 => (2 * p, 6, &[0, 2, 4]),
        _ => return None,
    };
    (first + size <= n).then(|| recorded.iter().map(|at| first + at).collect())
}

/// Captures a primitive if it has room everywhere.
fn record(case: &Case, ran: &mut Ran, vertices: impl ExactSizeIterator<Item = u32>, instance: u32) {
    ran.needed += 1;
    let strides = case.strides();
    let taken: [u64; BUFFERS] = std::array::from_fn(|n| strides[n] as u64 * vertices.len() as u64);
    if (0..BUFFERS).any(|n| u64::from(ran.counters[n]) + taken[n] > case.ranges[n].bytes.into()) {
        return;
    }
    ran.written += 1;
    for vertex in vertices {
        for (buffer, offset, word) in words(case.layout.as_ref(), vertex, instance) {
            let at = case.ranges[buffer].offset + ran.counters[buffer] + offset;
            ran.memory[buffer][at as usize / 4] = word;
        }
        for (counter, stride) in ran.counters.iter_mut().zip(strides) {
            *counter += stride;
        }
    }
}

/// What a vertex records: buffer, offset in the vertex, word.
fn words(layout: Option<&Layout>, vertex: u32, instance: u32) -> Vec<(usize, u32, u32)> {
    let Some(layout) = layout else { return vec![(0, 0, vertex), (0, 4, instance)] };
    let locations: Vec<_> = layout.locations().collect();
    let mut words = Vec::new();
    for capture in &layout.captures {
        let component = locations[capture.location as usize].component;
        for lane in 0..capture.lanes {
            let word = value(component, capture.location, capture.component + lane, vertex, instance);
            words.push((capture.buffer as usize, capture.offset + 4 * lane, word));
        }
    }
    words
}

/// The numbers that make a word of an output differ from every other.
pub(crate) fn factors(location: u32, lane: u32) -> [u32; 3] {
    let salt = location * 4 + lane + 1;
    [0x9E37_79B1_u32.wrapping_mul(2 * salt + 1), 0x85EB_CA77_u32.wrapping_mul(2 * salt + 1), salt << 20 ^ salt]
}

/// A float's exponent, from 1 to below 2, so that no device flushes or changes it.
pub(crate) const ONE: u32 = 0x3F80_0000;

/// A word of an output.
fn value(component: Component, location: u32, lane: u32, vertex: u32, instance: u32) -> u32 {
    let [a, b, c] = factors(location, lane);
    let mixed = vertex.wrapping_mul(a).wrapping_add(instance.wrapping_mul(b)).wrapping_add(c);
    match component {
        Component::Float => mixed >> 9 | ONE,
        Component::Int | Component::Wide => mixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, from the specification's pictures.
    #[test]
    fn primitives_are_those_of_the_pictures() {
        let all =
            |topology, last, n| -> Vec<Vec<u64>> { (0..).map_while(|p| primitive(topology, last, p, n)).collect() };
        assert_eq!(all(1, false, 5), [[0, 1], [2, 3]]);
        assert_eq!(all(4, false, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(all(4, true, 5), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(all(5, false, 4), [[1, 2, 0], [2, 3, 0]]);
        assert_eq!(all(5, true, 4), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(all(7, true, 5), [[1, 2], [2, 3]]);
        assert_eq!(all(9, false, 9), [[0, 2, 4], [2, 6, 4]]);
        assert_eq!(all(9, true, 8), [[0, 2, 4], [4, 2, 6]]);
        assert!((0..10).all(|topology| all(topology, false, 0).is_empty()));
    }

    #[test]
    fn what_has_no_room_in_one_buffer_is_in_none() {
        let mut case = Case::new(3, false, 9, 1);
        case.ranges[0].bytes = 2 * 24 - 1;
        let ran = run(&case);
        assert_eq!((ran.needed, ran.written, ran.counters[0]), (3, 1, 24));
        assert_eq!(ran.words(&case, 0), [0, 0, 1, 0, 2, 0]);
        assert!(!ran.clobbered(&case));
    }
}
