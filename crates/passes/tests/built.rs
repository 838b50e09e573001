//! The builder knows what variables hold and makes less code of it; what is built computes what was asked for all the same. Held against a
//! model that goes through the same steps lane by lane, before and after passes.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::*;
use afterimage_passes::{FloatRules, Options, optimize};
use proptest::prelude::*;

/// Variables: words as guests' registers are, numbers, truth values, vectors.
const VARS: [Type; 8] =
    [Type::B32, Type::B32, Type::I32, Type::F32, Type::BOOL, Type::B32X4, Type::F32X2, Type::new(Kind::Int, 3)];

/// A value: its type and the bits of its components.
type Typed = (Type, [u32; 4]);

#[derive(Clone, Debug)]
enum Source {
    Bits(Kind, u32),
    Var(usize),
    /// The variable, and a number added to each component.
    Sum(usize, u32),
    /// Components of the variable.
    Pick(usize, Vec<u8>),
    /// Two components after each other.
    Both(usize, usize),
}

#[derive(Clone, Debug)]
enum Step {
    Set(usize, Source),
    Part(usize, u8, Source),
    If(u8, Vec<Step>, Vec<Step>),
    Choose(usize, u8, Source, Source),
    /// So many rounds, at least one.
    Loop(u8, Vec<Step>),
    BreakIf(u8),
    ContinueIf(u8),
    ReturnIf(u8),
}

fn from() -> impl Strategy<Value = Source> {
    let var = 0..VARS.len();
    let kind = prop_oneof![Just(Kind::Float), Just(Kind::Int), Just(Kind::Bits), Just(Kind::Bool)];
    prop_oneof![
        (kind, prop_oneof![Just(0), Just(1), Just(0x8000_0000), Just(0x3f80_0000), Just(7)])
            .prop_map(|(kind, bits)| Source::Bits(kind, if kind == Kind::Bool { bits & 1 } else { bits })),
        var.clone().prop_map(Source::Var),
        (var.clone(), 0..3u32).prop_map(|(var, by)| Source::Sum(var, by)),
        (var.clone(), proptest::collection::vec(0..4u8, 1..=4)).prop_map(|(var, lanes)| Source::Pick(var, lanes)),
        (var.clone(), var).prop_map(|(a, b)| Source::Both(a, b)),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let var = 0..VARS.len();
    let leaf = prop_oneof![
        6 => (var.clone(), from()).prop_map(|(var, from)| Step::Set(var, from)),
        1 => (var.clone(), 1..16u8, from()).prop_map(|(var, mask, from)| Step::Part(var, mask, from)),
        1 => (var, 0..16u8, from(), from()).prop_map(|(var, bit, yes, no)| Step::Choose(var, bit, yes, no)),
        1 => (0..16u8).prop_map(Step::BreakIf),
        1 => (0..16u8).prop_map(Step::ContinueIf),
        1 => (0..16u8).prop_map(Step::ReturnIf),
    ];
    let step = leaf.prop_recursive(4, 40, 5, |inner| {
        let list = || proptest::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            (0..16u8, list(), list()).prop_map(|(bit, yes, no)| Step::If(bit, yes, no)),
            (1..4u8, list()).prop_map(|(rounds, body)| Step::Loop(rounds, body)),
        ]
    });
    proptest::collection::vec(step, 1..16)
}

// The model.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Next,
    Break,
    Continue,
    Return,
}

fn cast((ty, bits): Typed, kind: Kind) -> Typed {
    let one = if kind == Kind::Float { 1f32.to_bits() } else { 1 };
    let bits = match (ty.kind, kind) {
        (a, b) if a == b => bits,
        (Kind::Bool, _) => bits.map(|bit| bit * one),
        (Kind::Float, Kind::Bool) => bits.map(|bits| (f32::from_bits(bits) != 0.0).into()),
        (_, Kind::Bool) => bits.map(|bits| (bits != 0).into()),
        _ => bits,
    };
    (ty.with_kind(kind), bits)
}

fn pick((ty, bits): Typed, lanes: &[u8]) -> Typed {
    let mut out = [0; 4];
    for (out, lane) in out.iter_mut().zip(lanes) {
        *out = bits[usize::from(*lane.min(&(ty.lanes - 1)))];
    }
    (ty.with_lanes(lanes.len() as u8), out)
}

fn fit(value: Typed, ty: Type) -> [u32; 4] {
    pick(cast(value, ty.kind), &[0, 1, 2, 3][..ty.lanes.into()]).1
}

struct Lane {
    vars: [[u32; 4]; VARS.len()],
    input: u32,
}

impl Lane {
    fn var(&self, var: usize) -> Typed {
        (VARS[var], self.vars[var])
    }

    fn value(&self, from: &Source) -> Typed {
        match from {
            Source::Bits(kind, bits) => (Type::new(*kind, 1), [*bits, 0, 0, 0]),
            Source::Var(var) => self.var(*var),
            Source::Sum(var, by) => {
                let (ty, bits) = cast(self.var(*var), Kind::Int);
                (ty, bits.map(|bits| bits.wrapping_add(*by)))
            }
            Source::Pick(var, lanes) => pick(self.var(*var), lanes),
            Source::Both(a, b) => {
                let (a, b) = (self.var(*a), self.var(*b));
                let b = cast(b, a.0.kind);
                let both = [a, b].map(|value| value.1[..value.0.lanes.into()].to_vec()).concat();
                let mut bits = [0; 4];
                let lanes = both.len().min(4);
                bits[..lanes].copy_from_slice(&both[..lanes]);
                (a.0.with_lanes(lanes as u8), bits)
            }
        }
    }

    fn is(&self, bit: u8) -> bool {
        self.input >> bit & 1 != 0
    }

    fn run(&mut self, steps: &[Step], looped: bool) -> Then {
        for step in steps {
            let then = match step {
                Step::Set(var, from) => {
                    self.vars[*var] = fit(self.value(from), VARS[*var]);
                    Then::Next
                }
                Step::Part(var, mask, from) => {
                    let bits = fit(self.value(from), VARS[*var]);
                    Mask(*mask).lanes().for_each(|lane| self.vars[*var][usize::from(lane)] = bits[usize::from(lane)]);
                    Then::Next
                }
                Step::If(bit, yes, no) => self.run(if self.is(*bit) { yes } else { no }, looped),
                Step::Choose(var, bit, yes, no) => {
                    let (first, second) = (self.value(yes), self.value(no));
                    let chosen = if self.is(*bit) { first } else { (first.0, fit(second, first.0)) };
                    self.vars[*var] = fit(chosen, VARS[*var]);
                    Then::Next
                }
                Step::Loop(rounds, body) => {
                    let mut then = Then::Next;
                    for _ in 0..*rounds {
                        then = self.run(body, true);
                        if matches!(then, Then::Break | Then::Return) {
                            break;
                        }
                    }
                    if then == Then::Return { then } else { Then::Next }
                }
                Step::BreakIf(bit) if looped && self.is(*bit) => Then::Break,
                Step::ContinueIf(bit) if looped && self.is(*bit) => Then::Continue,
                Step::ReturnIf(bit) if self.is(*bit) => Then::Return,
                Step::BreakIf(_) | Step::ContinueIf(_) | Step::ReturnIf(_) => Then::Next,
            };
            if then != Then::Next {
                return then;
            }
        }
        Then::Next
    }
}

// The same, built.

struct Code {
    b: Builder,
    vars: Vec<Var>,
    outputs: Vec<Output>,
    input: Input,
}

impl Code {
    fn new() -> Code {
        let mut b = Builder::new(Stage::Vertex);
        let (ty, at) = (Type::I32, InputAt::Location(0));
        let input = b.input(InputDecl { name: "bits".into(), ty, at, interp: Interp::Smooth, semantic: None });
        let vars = VARS.iter().map(|&ty| b.var("v", ty)).collect();
        let output = |(n, ty): (u8, &Type)| {
            let (ty, at) = (ty.with_kind(Kind::Int), OutputAt::Location(n));
            b.output(OutputDecl { name: String::new(), ty, at, semantic: None })
        };
        let outputs = (0..).zip(&VARS).map(output).collect();
        Code { b, vars, outputs, input }
    }

    fn value(&mut self, from: &Source) -> Value {
        match from {
            Source::Bits(kind, bits) => self.b.const_bits(Type::new(*kind, 1), [*bits; 4]),
            Source::Var(var) => self.b.load(self.vars[*var]),
            Source::Sum(var, by) => {
                let (value, by) = (self.b.load_stored(self.vars[*var]), self.b.i32(*by as i32));
                self.b.iadd(value, by)
            }
            Source::Pick(var, lanes) => {
                let value = self.b.load(self.vars[*var]);
                self.b.swizzle(value, Swizzle::new(lanes))
            }
            Source::Both(a, b) => {
                let parts = [a, b].map(|var| self.b.load(self.vars[*var]));
                self.b.construct(&parts)
            }
        }
    }

    fn is(&mut self, bit: u8) -> Value {
        let b = &mut self.b;
        let (input, mask) = (b.load_input(self.input), b.i32(1 << bit));
        let bit = b.iand(input, mask);
        b.cast(bit, Kind::Bool)
    }

    fn finish(&mut self) {
        for (var, output) in self.vars.clone().into_iter().zip(self.outputs.clone()) {
            let value = self.b.load(var);
            self.b.store_output(output, value);
        }
    }

    fn steps(&mut self, steps: &[Step], looped: bool) {
        for step in steps {
            match step {
                Step::Set(var, from) => {
                    let value = self.value(from);
                    self.b.store(self.vars[*var], value);
                }
                Step::Part(var, mask, from) => {
                    let value = self.value(from);
                    self.b.store_masked(self.vars[*var], Mask(*mask), value);
                }
                Step::If(bit, yes, no) => {
                    let is = self.is(*bit);
                    self.b.begin_if(is);
                    self.steps(yes, looped);
                    if !no.is_empty() {
                        self.b.begin_else();
                        self.steps(no, looped);
                    }
                    self.b.end_if();
                }
                Step::Choose(var, bit, yes, no) => {
                    let is = self.is(*bit);
                    // Not by `if_else`, which the regions are no part of this for.
                    let (yes, no) = (self.value(yes), self.value(no));
                    let value = self.b.if_else(is, |_| yes, |_| no);
                    self.b.store(self.vars[*var], value);
                }
                Step::Loop(rounds, body) => {
                    let round = self.b.var("round", Type::I32);
                    let zero = self.b.i32(0);
                    self.b.store(round, zero);
                    self.b.begin_loop();
                    let (at, end, one) = (self.b.load(round), self.b.i32((*rounds).into()), self.b.i32(1));
                    let ends = self.b.ieq(at, end);
                    self.b.break_if(ends);
                    let next = self.b.iadd(at, one);
                    self.b.store(round, next);
                    self.steps(body, true);
                    self.b.end_loop();
                }
                Step::BreakIf(bit) if looped => {
                    let is = self.is(*bit);
                    self.b.break_if(is);
                }
                Step::ContinueIf(bit) if looped => {
                    let is = self.is(*bit);
                    self.b.begin_if(is);
                    self.b.continue_();
                    self.b.end_if();
                }
                Step::ReturnIf(bit) => {
                    let is = self.is(*bit);
                    self.b.begin_if(is);
                    self.finish();
                    self.b.return_();
                    self.b.end_if();
                }
                Step::BreakIf(_) | Step::ContinueIf(_) => {}
            }
        }
    }
}

struct Inputs([u32; 4]);

impl Environment for Inputs {
    fn input(&self, _: &InputDecl, lane: usize) -> [u32; 4] {
        [self.0[lane], 0, 0, 0]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

fn outputs(module: &Module, inputs: [u32; 4]) -> Vec<[[u32; 4]; 4]> {
    Interpreter::new(module).unwrap_or_else(|error| panic!("{error}\n{module}")).run(&Inputs(inputs)).unwrap().outputs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn what_is_built_does_what_was_asked_for(steps in steps(), inputs in any::<[u32; 4]>()) {
        let mut code = Code::new();
        code.steps(&steps, false);
        code.finish();
        let mut module = code.b.finish().unwrap();
        let lanes = inputs.map(|input| {
            let mut lane = Lane { vars: [[0; 4]; VARS.len()], input };
            lane.run(&steps, false);
            lane.vars
        });
        let wanted: Vec<_> = (0..VARS.len()).map(|var| [0, 1, 2, 3].map(|lane: usize| lanes[lane][var])).collect();
        prop_assert_eq!(&outputs(&module, inputs), &wanted, "{}", module);
        // Inside of another shader, in a loop, it does the same.
        let mut outer = Code::new();
        let vars: Vec<_> = VARS.iter().map(|ty| outer.b.var("o", ty.with_kind(Kind::Int))).collect();
        let given: Vec<_> = vars.iter().copied().map(Some).collect();
        let input = outer.b.load_input(outer.input);
        outer.b.inline(&module, &[Some(input)], &given);
        outer.b.begin_loop();
        outer.b.inline(&module, &[Some(input)], &given);
        outer.b.break_();
        outer.b.end_loop();
        for (var, output) in vars.into_iter().zip(outer.outputs.clone()) {
            let value = outer.b.load(var);
            outer.b.store_output(output, value);
        }
        let outer = outer.b.finish().unwrap();
        prop_assert_eq!(&outputs(&outer, inputs), &wanted, "{}", outer);
        optimize(&mut module, &Options { float_rules: FloatRules::Strict });
        prop_assert_eq!(&outputs(&module, inputs), &wanted, "{}", module);
    }
}
