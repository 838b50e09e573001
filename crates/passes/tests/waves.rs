//! Waves of the guest on hosts with smaller ones: programs whose lanes ask each other, in any control flow that a wave's lanes take
//! together, leave the same memory behind, and no exchange meets the one before it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{
    BankDecl, Builder, Imm, InputAt, InputDecl, Interp, MAX_WAVE, Module, Op, Stage, TextureDecl, Type, Value, Var,
    parse, verify,
};
use afterimage_passes::{guest_waves, ssa};
use proptest::prelude::*;

/// Lanes of the host's waves.
const HOST: u32 = 8;

#[derive(Default)]
struct Memory(RefCell<BTreeMap<u64, u32>>);

impl Environment for Memory {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.0.borrow().get(&address).copied().unwrap_or(0)
    }

    fn store(&self, address: u64, word: u32) {
        self.0.borrow_mut().insert(address, word);
    }
}

/// What a program leaves in memory, with waves of so many lanes; `own`: where the pass's part of the group's memory begins.
fn memory(m: &Module, wave: u32, own: Option<u32>) -> BTreeMap<u64, u32> {
    let memory = Memory::default();
    let interpreter = Interpreter::new(m).unwrap_or_else(|error| panic!("{error}\n{m}")).step_limit(1 << 24);
    let interpreter = own.into_iter().fold(interpreter, |interpreter, first| interpreter.ordered_from(first));
    let group = Group { id: [0; 3], count: [1; 3], wave: wave as usize };
    interpreter.run_group(&memory, group).unwrap_or_else(|error| panic!("{error}\n{m}"));
    memory.0.into_inner()
}

/// Holds a program against what the pass makes of it.
fn compare(mut m: Module) {
    ssa::run(&mut m);
    verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
    let (expected, own) = (memory(&m, MAX_WAVE, None), m.shared);
    assert!(guest_waves::run(&mut m, HOST));
    verify(&m).unwrap_or_else(|error| panic!("{error}\n{m}"));
    assert_eq!(memory(&m, HOST, Some(own)), expected, "{m}");
}

/// A program out of any bytes.
struct Program<'a> {
    b: Builder,
    bytes: std::slice::Iter<'a, u8>,
    lane: Value,
    sum: Var,
}

impl Program<'_> {
    fn make(bytes: &[u8], lanes: u32, shared: u32) -> Module {
        let mut b = Builder::new(Stage::Compute);
        b.work_group([lanes, 1, 1], shared);
        b.guest_waves();
        let decl = InputDecl {
            name: "local_index".into(),
            ty: Type::I32,
            at: InputAt::LocalIndex,
            interp: Interp::Flat,
            semantic: None,
        };
        let lane = b.input_at(InputAt::LocalIndex, || decl);
        let sum = b.var("sum", Type::I32);
        b.store(sum, lane);
        let mut program = Program { b, bytes: bytes.iter(), lane, sum };
        while program.bytes.len() > 0 {
            program.statement(0);
        }
        let Program { mut b, lane, sum, .. } = program;
        let (two, zero) = (b.i32(2), b.i32(0));
        let place = b.ishl(lane, two);
        let address = b.construct(&[place, zero]);
        let value = b.load(sum);
        b.store_global(address, value);
        b.finish().expect("blocks nest")
    }

    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn add(&mut self, value: Value) {
        let (old, five) = (self.b.load(self.sum), self.b.i32(5));
        let old = self.b.imul(old, five);
        let new = self.b.iadd(old, value);
        self.b.store(self.sum, new);
    }

    /// Whether some lane of the wave has a bit of its sum.
    fn any(&mut self) -> Value {
        let bit = self.bit();
        self.b.wave_any(bit)
    }

    fn bit(&mut self) -> Value {
        let by = i32::from(self.byte() % 16);
        let (sum, by, mask) = (self.b.load(self.sum), self.b.i32(by), self.b.i32(0x41));
        let bits = self.b.ushr(sum, by);
        let bits = self.b.iand(bits, mask);
        let zero = self.b.i32(0);
        self.b.ieq(bits, zero)
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.byte() % 4 {
            self.statement(depth + 1);
        }
    }

    fn statement(&mut self, depth: u32) {
        let sum = self.b.load(self.sum);
        match self.byte() % if depth < 3 { 8 } else { 5 } {
            0 => {
                let by = i32::from(self.byte());
                let (lane, by) = (self.b.lane_index(), self.b.i32(by));
                let lane = self.b.iadd(lane, by);
                let mask = self.b.i32(63);
                let lane = self.b.iand(lane, mask);
                let other = self.b.wave_shuffle(sum, lane);
                self.add(other);
            }
            1 => {
                let bit = self.bit();
                let words = self.b.ballot(bit);
                let half = self.byte() % 2;
                let word = self.b.extract(words, half);
                self.add(word);
            }
            2 => {
                let first = self.b.read_first(sum);
                self.add(first);
            }
            3 => self.add(self.lane),
            4 => self.b.barrier(),
            5 => {
                let any = self.any();
                self.b.begin_if(any);
                self.block(depth);
                self.b.begin_else();
                self.block(depth);
                self.b.end_if();
            }
            6 => {
                // Only some lanes, which ask nobody.
                let bit = self.bit();
                self.b.begin_if(bit);
                self.add(self.lane);
                self.b.end_if();
            }
            _ => {
                let rounds = i32::from(1 + self.byte() % 4);
                let counter = self.b.var("counter", Type::I32);
                let zero = self.b.i32(0);
                self.b.store(counter, zero);
                self.b.begin_loop();
                let (at, most, one) = (self.b.load(counter), self.b.i32(rounds), self.b.i32(1));
                let done = self.b.ile(most, at);
                self.b.break_if(done);
                let next = self.b.iadd(at, one);
                self.b.store(counter, next);
                self.block(depth);
                let any = self.any();
                self.b.break_if(any);
                self.block(depth);
                self.b.end_loop();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_is_the_same(
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        lanes in prop_oneof![Just(64u32), Just(128), Just(192)],
        // The third leaves room for one area only.
        shared in prop_oneof![Just(0u32), Just(64), Just((1 << 15) - 512)],
    ) {
        compare(Program::make(&bytes, lanes, shared));
    }
}

/// Barriers of a program behind the pass.
fn barriers(text: &str) -> usize {
    let mut m = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(guest_waves::run(&mut m, HOST));
    let mut count = 0;
    m.for_each_inst(|_, data| count += usize::from(data.op == Op::Barrier && data.imm == Imm::None));
    count
}

#[test]
fn an_exchange_waits_once_where_there_is_room_for_two() {
    let text = |shared: u32| {
        format!(
            "compute {{
  group 64, 1, 1
  shared {shared}
  guest_waves
  input in0 \"local_index\" : i32 local_index flat
  v0: i32 = load_input in0
  v1: i32 = const 3
  v2: i32 = iadd v0, v1
  v3: i32 = wave_shuffle v0, v2
  v4: i32 = wave_shuffle v3, v2
  v5: i32 = wave_shuffle v4, v2
  store_shared v5, v5
  return
}}"
        )
    };
    assert_eq!([0, 1 << 15].map(|shared| barriers(&text(shared))), [3, 6]);
}
