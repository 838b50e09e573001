//! What it costs to know what a draw has to apply: groups in a word (ours), WineD3D's list with a bitmap, a bitmap alone, a
//! compare of everything, and applying everything.
//!
//! 448 states, as Direct3D 9 has them, in 56 groups of eight. Applying a group is a sum over its states, compared with the last.

use afterimage_bench::Bench;
use afterimage_state::{Apply, Dirty, Effect, Group as _, Space, State, Tracker, apply_dirty, close_marks, groups};
use std::convert::Infallible;
use std::hint::black_box;

const STATES: usize = 448;
const GROUPS: usize = 56;
const OF_A_GROUP: usize = STATES / GROUPS;

macro_rules! numbered {
    ($($name:ident)*) => { groups! { enum Group { $($name),* } } };
}
numbered! {
    G00 G01 G02 G03 G04 G05 G06 G07 G08 G09 G10 G11 G12 G13 G14 G15 G16 G17 G18 G19 G20 G21 G22 G23 G24 G25 G26 G27
    G28 G29 G30 G31 G32 G33 G34 G35 G36 G37 G38 G39 G40 G41 G42 G43 G44 G45 G46 G47 G48 G49 G50 G51 G52 G53 G54 G55
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Device;

const READERS: [u64; STATES] = {
    let mut readers = [0; STATES];
    let mut state = 0;
    while state < STATES {
        readers[state] = 1 << (state / OF_A_GROUP);
        state += 1;
    }
    readers
};

impl Space for Device {
    type Group = Group;
    const READERS: &'static [u64] = &READERS;
    const MARKS: &'static [u64] = &close_marks(READERS, Group::CLOSURE);
    const KINDS: usize = 0;
    fn name(state: State<Self>) -> String {
        format!("state {}", state.number)
    }
}

/// Values of the states, and each group's result as the host has it.
struct Values {
    states: [u32; STATES],
    results: [u64; GROUPS],
}

impl Values {
    fn new() -> Self {
        Self { states: [0; STATES], results: [0; GROUPS] }
    }

    /// Applies a group. True if the result is another.
    #[inline]
    fn apply(&mut self, group: usize) -> bool {
        let states = &self.states[group * OF_A_GROUP..][..OF_A_GROUP];
        let result = states.iter().fold(1u64, |sum, state| sum.rotate_left(7) ^ u64::from(*state));
        std::mem::replace(&mut self.results[group], result) != result
    }
}

/// Ours.
struct Words {
    tracker: Tracker<Device>,
    values: Values,
}

impl Apply<Device> for Words {
    type Error = Infallible;

    fn tracker(&mut self) -> &mut Tracker<Device> {
        &mut self.tracker
    }

    #[inline]
    fn apply(&mut self, group: Group) -> Result<Effect, Infallible> {
        Ok(Effect::of(self.values.apply(group.index())))
    }

    fn recompute(&mut self, _: Group) -> Option<String> {
        None
    }
}

/// The document's: representatives in a list, and a bit for each to know them by.
struct List {
    dirty: Vec<u16>,
    bits: [u64; STATES.div_ceil(64)],
    values: Values,
}

impl List {
    #[inline]
    fn set(&mut self, state: usize, value: u32) {
        if self.values.states[state] == value {
            return;
        }
        self.values.states[state] = value;
        let representative = state / OF_A_GROUP * OF_A_GROUP;
        let bit = 1 << (representative % 64);
        if self.bits[representative / 64] & bit == 0 {
            self.bits[representative / 64] |= bit;
            self.dirty.push(representative as u16);
        }
    }

    fn draw(&mut self) {
        for &representative in &self.dirty {
            let at = usize::from(representative);
            self.bits[at / 64] &= !(1 << (at % 64));
            black_box(self.values.apply(at / OF_A_GROUP));
        }
        self.dirty.clear();
    }
}

/// A bit for each state.
struct Bitmap {
    bits: [u64; STATES.div_ceil(64)],
    values: Values,
}

impl Bitmap {
    #[inline]
    fn set(&mut self, state: usize, value: u32) {
        if self.values.states[state] != value {
            self.values.states[state] = value;
            let representative = state / OF_A_GROUP * OF_A_GROUP;
            self.bits[representative / 64] |= 1 << (representative % 64);
        }
    }

    fn draw(&mut self) {
        for word in 0..self.bits.len() {
            let mut bits = std::mem::take(&mut self.bits[word]);
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                black_box(self.values.apply(at / OF_A_GROUP));
            }
        }
    }
}

/// Values as they were applied, to be compared with.
struct Compare {
    applied: [u32; STATES],
    values: Values,
}

impl Compare {
    fn draw(&mut self) {
        for group in 0..GROUPS {
            let states = group * OF_A_GROUP..(group + 1) * OF_A_GROUP;
            if self.applied[states.clone()] != self.values.states[states.clone()] {
                self.applied[states.clone()].copy_from_slice(&self.values.states[states]);
                black_box(self.values.apply(group));
            }
        }
    }
}

fn main() {
    const DRAWS: usize = 2000;
    let mut bench = Bench::new("state");
    for marks in [2usize, 20, 60] {
        // States far from each other, other ones at each draw.
        let writes: Vec<(usize, u32)> =
            (0..DRAWS * marks).map(|at| (at * 167 % STATES, (at / marks) as u32 + 1)).collect();
        bench.new_baseline();

        let mut words = Words { tracker: Tracker::new(), values: Values::new() };
        bench.case(&format!("{marks} writes, draw: groups in a word"), DRAWS, || {
            for draw in writes.chunks(marks) {
                for &(state, value) in draw {
                    words.tracker.write(State::of(state as u32), &mut words.values.states[state], value);
                }
                let Ok(()) = apply_dirty(&mut words, Dirty::all());
            }
        });
        let mut list = List { dirty: Vec::new(), bits: Default::default(), values: Values::new() };
        bench.case(&format!("{marks} writes, draw: list and bitmap"), DRAWS, || {
            for draw in writes.chunks(marks) {
                draw.iter().for_each(|&(state, value)| list.set(state, value));
                list.draw();
            }
        });
        let mut bitmap = Bitmap { bits: Default::default(), values: Values::new() };
        bench.case(&format!("{marks} writes, draw: bitmap"), DRAWS, || {
            for draw in writes.chunks(marks) {
                draw.iter().for_each(|&(state, value)| bitmap.set(state, value));
                bitmap.draw();
            }
        });
        let mut compare = Compare { applied: [0; STATES], values: Values::new() };
        bench.case(&format!("{marks} writes, draw: everything compared"), DRAWS, || {
            for draw in writes.chunks(marks) {
                draw.iter().for_each(|&(state, value)| compare.values.states[state] = value);
                compare.draw();
            }
        });
        let mut all = Values::new();
        bench.case(&format!("{marks} writes, draw: everything applied"), DRAWS, || {
            for draw in writes.chunks(marks) {
                draw.iter().for_each(|&(state, value)| all.states[state] = value);
                (0..GROUPS).for_each(|group| {
                    black_box(all.apply(group));
                });
            }
        });
    }

    const WRITES: usize = 4096;
    let mut words = Words { tracker: Tracker::new(), values: Values::new() };
    bench.new_baseline();
    let mut plain = [0u32; STATES];
    let mut value = 0;
    bench.case("baseline: a store", WRITES, || {
        value += 1;
        (0..WRITES).for_each(|at| plain[black_box(at * 167 % STATES)] = value);
        black_box(&mut plain);
    });
    let mut value = 0;
    bench.case("a write of another value", WRITES, || {
        value += 1;
        for at in 0..WRITES {
            let state = black_box(at * 167 % STATES);
            words.tracker.write(State::of(state as u32), &mut words.values.states[state], value + (at / STATES) as u32);
        }
    });
    bench.case("a write of the same value", WRITES, || {
        for at in 0..WRITES {
            let state = black_box(at * 167 % STATES);
            let value = words.values.states[state];
            words.tracker.write(State::of(state as u32), &mut words.values.states[state], black_box(value));
        }
    });
    bench.finish().expect("the file of figures");
}
