//! Random graphs, irreducible ones too, visit the same nodes in the same order as structured code.

use afterimage_interp::{Interpreter, NoEnvironment};
use afterimage_ir::{Builder, OutputAt, OutputDecl, Stage, Type, Value, Var, verify};
use proptest::prelude::*;

use super::*;

/// Nodes after which a walk ends, wherever it is.
const FUEL: u32 = 60;

/// What a walk has seen: a hash of the nodes in order, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    hash: u32,
    count: u32,
}

impl Seen {
    fn visit(&mut self, node: u32) {
        self.hash = (self.hash ^ (node + 1)).wrapping_mul(0x9E37_79B1);
        self.hash ^= self.hash >> 15;
        self.count += 1;
    }

    /// The condition of the last node.
    fn condition(self) -> bool {
        self.hash >> 7 & 1 != 0
    }
}

fn walk(exits: &[Exit], ends: &[bool], seed: u32) -> Seen {
    let mut seen = Seen { hash: seed, count: 0 };
    let mut at = 0;
    loop {
        if ends[at as usize] {
            return seen;
        }
        seen.visit(at);
        if seen.count == FUEL {
            return seen;
        }
        at = match exits[at as usize] {
            Exit::Return => return seen,
            Exit::Goto(to) => to,
            Exit::Branch(yes, no) => {
                if seen.condition() {
                    yes
                } else {
                    no
                }
            }
        };
    }
}

/// The same on structured code, as IR that the interpreter runs.
struct Writer {
    b: Builder,
    hash: Var,
    count: Var,
    out: [afterimage_ir::Output; 2],
    states: Vec<Var>,
}

impl Writer {
    fn number(&mut self, n: u32) -> Value {
        self.b.i32(n as i32)
    }

    fn finish(&mut self) {
        for (var, out) in [self.hash, self.count].into_iter().zip(self.out) {
            let value = self.b.load(var);
            self.b.store_output(out, value);
        }
        self.b.return_();
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Block(node) => {
                    let [node, factor, shift, one, fuel] = [node + 1, 0x9E37_79B1, 15, 1, FUEL].map(|n| self.number(n));
                    let b = &mut self.b;
                    let hash = b.load(self.hash);
                    let hash = b.ixor(hash, node);
                    let hash = b.imul(hash, factor);
                    let right = b.ushr(hash, shift);
                    let hash = b.ixor(hash, right);
                    b.store(self.hash, hash);
                    let count = b.load(self.count);
                    let count = b.iadd(count, one);
                    b.store(self.count, count);
                    let ends = b.ieq(count, fuel);
                    b.begin_if(ends);
                    self.finish();
                    self.b.end_if();
                }
                Step::If(yes, no) => {
                    let [seven, one] = [7, 1].map(|n| self.number(n));
                    let hash = self.b.load(self.hash);
                    let bit = self.b.ushr(hash, seven);
                    let bit = self.b.iand(bit, one);
                    self.b.begin_if(bit);
                    self.steps(yes);
                    self.b.begin_else();
                    self.steps(no);
                    self.b.end_if();
                }
                Step::Loop(body) => {
                    self.b.begin_loop();
                    self.steps(body);
                    self.b.end_loop();
                }
                Step::When(state, is, body) => {
                    let (value, is) = (self.b.load(self.states[*state as usize]), self.number(*is));
                    let same = self.b.ieq(value, is);
                    self.b.begin_if(same);
                    self.steps(body);
                    self.b.end_if();
                }
                Step::Set(state, to) => {
                    let value = self.number(*to);
                    self.b.store(self.states[*state as usize], value);
                }
                Step::Break => self.b.break_(),
                Step::Continue => self.b.continue_(),
                Step::Return => self.finish(),
            }
        }
    }
}

fn run(structure: &Structure, seed: u32) -> Seen {
    let mut b = Builder::new(Stage::Vertex);
    let out = [0, 1]
        .map(|n| b.output(OutputDecl { name: "o".into(), ty: Type::I32, at: OutputAt::Location(n), semantic: None }));
    let (hash, count) = (b.var("hash", Type::I32), b.var("count", Type::I32));
    let start = b.i32(seed as i32);
    b.store(hash, start);
    let states = (0..structure.states).map(|n| b.var(format!("state{n}"), Type::I32)).collect();
    let mut writer = Writer { b, hash, count, out, states };
    writer.steps(&structure.steps);
    let module = writer.b.finish().expect("blocks nest, and not too deep");
    verify(&module).expect("a module");
    let outcome = Interpreter::new(&module).expect("valid").run(&NoEnvironment).expect("ends");
    Seen { hash: outcome.outputs[0][0][0], count: outcome.outputs[1][0][0] }
}

/// Pieces of code, and how deep they nest.
fn size(steps: &[Step]) -> (usize, usize) {
    let (mut count, mut depth) = (0, 0);
    for step in steps {
        let (inner, nested) = match step {
            Step::If(yes, no) => {
                let (a, b) = (size(yes), size(no));
                (a.0 + b.0, 1 + a.1.max(b.1))
            }
            Step::Loop(body) | Step::When(_, _, body) => {
                let (count, depth) = size(body);
                (count, depth + 1)
            }
            _ => (0, 0),
        };
        count += 1 + inner;
        depth = depth.max(nested);
    }
    (count, depth)
}

fn check(exits: &[Exit]) {
    check_with(exits, &vec![false; exits.len()]);
    // With nodes that do nothing but end, but for the first.
    let ends: Vec<bool> = exits.iter().enumerate().map(|(at, &exit)| at > 0 && exit == Exit::Return).collect();
    check_with(exits, &ends);
}

fn check_with(exits: &[Exit], ends: &[bool]) {
    let structured = structure(exits, ends);
    let (count, depth) = size(&structured.steps);
    // Room for what code inside of blocks nests.
    assert!(depth < afterimage_ir::MAX_DEPTH - 10, "{depth} deep");
    assert!(count < 64 + exits.len() * 40, "{count} steps for {} nodes", exits.len());
    for seed in [1, 77, 4242] {
        assert_eq!(run(&structured, seed), walk(exits, ends, seed), "{exits:?}\n{structured:#?}");
    }
}

/// A graph of nodes with near and far targets.
fn graphs() -> impl Strategy<Value = Vec<Exit>> {
    (2usize..28).prop_flat_map(|count| {
        let to = move || 0..count as u32;
        let near = move |at: usize| (at as u32 + 1).min(count as u32 - 1);
        let nodes: Vec<_> = (0..count)
            .map(|at| {
                prop_oneof![
                    1 => Just(Exit::Return),
                    3 => Just(Exit::Goto(near(at))),
                    2 => to().prop_map(Exit::Goto),
                    6 => to().prop_map(move |other| Exit::Branch(other, near(at))),
                    3 => (to(), to()).prop_map(|(a, b)| Exit::Branch(a, b)),
                ]
            })
            .collect();
        nodes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn structured_code_visits_what_the_graph_does(exits in graphs()) {
        check(&exits);
    }
}

#[test]
fn usual_flow_needs_no_state() {
    // if / else, a loop with a break in an arm, an end.
    let exits = [
        Exit::Branch(1, 2),
        Exit::Goto(3),
        Exit::Goto(3),
        Exit::Branch(6, 4),
        Exit::Branch(6, 5),
        Exit::Goto(3),
        Exit::Return,
    ];
    let text = format!("{:?}", structure(&exits, &[false; 7]).steps);
    assert!(!text.contains("Set") && !text.contains("When"), "{text}");
    check(&exits);
}

#[test]
fn long_chains_of_exits_do_not_nest() {
    let count = 3000u32;
    let exits: Vec<Exit> = (0..count)
        .map(|at| if at + 1 == count { Exit::Return } else { Exit::Branch(count - 1 - at % 2 * 2, at + 1) })
        .collect();
    check(&exits);
}

#[test]
fn long_sequences_are_flat() {
    let diamonds = 2000u32;
    let mut exits = Vec::new();
    for at in 0..diamonds {
        let first = at * 3;
        exits.extend([Exit::Branch(first + 1, first + 2), Exit::Goto(first + 3), Exit::Goto(first + 3)]);
    }
    exits.push(Exit::Return);
    let structured = structure(&exits, &[]);
    assert!(size(&structured.steps).1 <= 2);
    check(&exits);
}

#[test]
fn nests_of_loops_end() {
    // Each node goes on or back to the node that mirrors it.
    let count = 200u32;
    let exits: Vec<Exit> = (0..count)
        .map(|at| match at {
            _ if at + 1 == count => Exit::Return,
            _ if at >= count / 2 => Exit::Branch(count - 1 - at, at + 1),
            _ => Exit::Goto(at + 1),
        })
        .collect();
    check(&exits);
}

#[test]
fn every_node_to_every_node() {
    let count = 24u32;
    let exits: Vec<Exit> = (0..count)
        .map(|at| if at == 7 { Exit::Return } else { Exit::Branch((at * 5 + 3) % count, (at * 7 + 1) % count) })
        .collect();
    check(&exits);
}
