//! Random programs in which lanes part and meet, as compilers write them: with masks of exec in their styles, and with branches
//! around code that no lane runs or without. What lanes hold in the end is compared with running the same program on them in step.

use std::fmt::Write as _;

use crate::Random;
use crate::machine::Machine;

/// A statement of the little language. Variables are 0 to 3; each lane has its own.
#[derive(Clone, Debug)]
enum Statement {
    /// Variable times a number plus another variable.
    Mix(u8, u32, u8),
    /// Adds the number of active lanes in which a variable has a bit.
    Count(u8, u8, u8),
    /// Sets a variable to what another is in the first active lane.
    First(u8, u8),
    /// By a bit of a variable.
    If(u8, u8, Vec<Statement>, Vec<Statement>),
    /// At most so many rounds; a lane leaves it where a bit of a variable is set, in front of the given statement.
    Loop(u32, Vec<Statement>, u8, u8, usize),
    /// The body for each value of a variable's low bits, lanes of a value together.
    Waterfall(u8, u8, Vec<Statement>),
}
use Statement::*;

fn statements(random: &mut Random, depth: u32) -> Vec<Statement> {
    (0..1 + random.below(3)).map(|_| statement(random, depth)).collect()
}

fn statement(random: &mut Random, depth: u32) -> Statement {
    let var = |random: &mut Random| random.below(4) as u8;
    let bit = |random: &mut Random| random.below(12) as u8;
    match random.below(if depth == 0 { 4 } else { 9 }) {
        0 | 1 => Mix(var(random), random.next() | 1, var(random)),
        2 => Count(var(random), var(random), bit(random)),
        3 => First(var(random), var(random)),
        4..=6 => {
            let yes = statements(random, depth - 1);
            let no = if random.below(2) == 0 { Vec::new() } else { statements(random, depth - 1) };
            If(var(random), bit(random), yes, no)
        }
        7 => {
            let body = statements(random, depth - 1);
            let at = random.below(body.len() as u32 + 1) as usize;
            Loop(1 + random.below(4), body, var(random), bit(random), at)
        }
        _ => Waterfall(var(random), var(random), statements(random, depth - 1)),
    }
}

/// Lanes that run something.
type Active = Vec<bool>;

/// Runs statements on all lanes of a wave in step.
fn run(statements: &[Statement], lanes: &mut [[u32; 4]], active: &Active) {
    let set = |lanes: &[[u32; 4]], var: u8, bit: u8| -> Active {
        lanes.iter().map(|lane| lane[usize::from(var)] >> bit & 1 != 0).collect()
    };
    let both = |a: &Active, b: &Active| -> Active { a.iter().zip(b).map(|(a, b)| *a && *b).collect() };
    let without = |a: &Active, b: &Active| -> Active { a.iter().zip(b).map(|(a, b)| *a && !*b).collect() };
    let any = |a: &Active| a.contains(&true);
    for statement in statements {
        if !any(active) {
            return;
        }
        let each = |lanes: &mut [[u32; 4]], change: &mut dyn FnMut(&mut [u32; 4])| {
            lanes.iter_mut().zip(active).filter(|(_, active)| **active).for_each(|(lane, _)| change(lane));
        };
        match statement {
            &Mix(to, factor, from) => each(lanes, &mut |lane| {
                lane[usize::from(to)] =
                    lane[usize::from(to)].wrapping_mul(factor).wrapping_add(lane[usize::from(from)]);
            }),
            &Count(to, of, bit) => {
                let count = both(&set(lanes, of, bit), active).iter().filter(|set| **set).count() as u32;
                each(lanes, &mut |lane| lane[usize::from(to)] = lane[usize::from(to)].wrapping_add(count));
            }
            &First(to, from) => {
                let first = active.iter().position(|active| *active).unwrap();
                let value = lanes[first][usize::from(from)];
                each(lanes, &mut |lane| lane[usize::from(to)] = value);
            }
            If(of, bit, yes, no) => {
                let cond = set(lanes, *of, *bit);
                run(yes, lanes, &both(active, &cond));
                run(no, lanes, &without(active, &cond));
            }
            Loop(rounds, body, of, bit, at) => {
                let mut live = active.clone();
                for _ in 0..*rounds {
                    run(&body[..*at], lanes, &live);
                    live = without(&live, &set(lanes, *of, *bit));
                    if !any(&live) {
                        break;
                    }
                    run(&body[*at..], lanes, &live);
                }
            }
            Waterfall(of, to, body) => {
                let keys: Vec<u32> = lanes.iter().map(|lane| lane[usize::from(*of)] & 3).collect();
                let mut left = active.clone();
                while let Some(first) = left.iter().position(|left| *left) {
                    let same: Active = keys.iter().map(|key| *key == keys[first]).collect();
                    let now = both(&left, &same);
                    lanes.iter_mut().zip(&now).filter(|(_, now)| **now).for_each(|(lane, _)| {
                        lane[usize::from(*to)] = lane[usize::from(*to)].wrapping_add(keys[first] + 1);
                    });
                    run(body, lanes, &now);
                    left = without(&left, &same);
                }
            }
        }
    }
}

/// How a compiler ends an `if`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// ACO: exec is saved and comes back.
    Saved,
    /// LLVM: the other lanes are kept, and added.
    Others,
    /// In two words.
    Words,
}

struct Writer<'a> {
    text: String,
    random: &'a mut Random,
    style: Style,
    /// Next free pair of scalar registers, label, vector register.
    pair: u32,
    label: u32,
    vector: u32,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn pair(&mut self) -> String {
        self.pair += 2;
        format!("s[{}:{}]", self.pair - 2, self.pair - 1)
    }

    fn label(&mut self) -> String {
        self.label += 1;
        format!("l{}", self.label)
    }

    /// vcc has the lanes in which a variable has a bit.
    fn condition(&mut self, of: u8, bit: u8) {
        self.line(&format!("v_bfe_u32 v1, v{}, {bit}, 1\nv_cmp_ne_u32 vcc, v1, 0", 4 + of));
    }

    /// Sometimes, code that no lane runs is jumped over.
    fn skip(&mut self, label: &str) {
        if self.random.below(3) > 0 {
            self.line(&format!("s_cbranch_execz {label}"));
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        let free = (self.pair, self.vector);
        for statement in statements {
            self.statement(statement);
            (self.pair, self.vector) = free;
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Mix(to, factor, from) => {
                let (to, from) = (4 + to, 4 + from);
                self.line(&format!(
                    "s_mov_b32 s4, {factor:#x}\nv_mul_lo_i32 v3, v{to}, s4\nv_add_i32 v{to}, vcc, v3, v{from}"
                ));
            }
            Count(to, of, bit) => {
                let to = 4 + to;
                self.condition(*of, *bit);
                match self.random.below(3) {
                    0 => self.line("s_bcnt1_i32_b64 s4, vcc"),
                    1 => self.line("s_and_b64 s[4:5], vcc, exec\ns_bcnt1_i32_b64 s4, s[4:5]"),
                    _ => self.line("s_and_b32 s4, vcc_lo, exec_lo\ns_bcnt1_i32_b32 s4, s4\ns_and_b32 s5, vcc_hi, exec_hi\ns_bcnt1_i32_b32 s5, s5\ns_add_u32 s4, s4, s5"),
                }
                self.line(&format!("v_add_i32 v{to}, vcc, s4, v{to}"));
            }
            First(to, from) => {
                // Where no lane is active, the hardware reads lane 0; nobody gets it.
                self.line(&format!("v_readfirstlane_b32 s4, v{}\nv_mov_b32 v{}, s4", 4 + from, 4 + to));
            }
            If(of, bit, yes, no) => {
                self.condition(*of, *bit);
                let (saved, other, end) = (self.pair(), self.label(), self.label());
                match self.style {
                    Style::Saved => {
                        self.line(&format!("s_and_saveexec_b64 {saved}, vcc"));
                        self.skip(&other);
                        self.statements(yes);
                        self.line(&format!("{other}:"));
                        if !no.is_empty() {
                            self.line(&format!("s_andn2_b64 exec, {saved}, exec"));
                            self.skip(&end);
                            self.statements(no);
                        }
                        self.line(&format!("{end}:\ns_mov_b64 exec, {saved}"));
                    }
                    Style::Others => {
                        self.line(&format!("s_and_saveexec_b64 {saved}, vcc\ns_xor_b64 {saved}, exec, {saved}"));
                        self.skip(&other);
                        self.statements(yes);
                        self.line(&format!("{other}:"));
                        if no.is_empty() {
                            self.line(&format!("s_or_b64 exec, exec, {saved}"));
                        } else {
                            self.line(&format!("s_or_saveexec_b64 {saved}, {saved}\ns_xor_b64 exec, exec, {saved}"));
                            self.skip(&end);
                            self.statements(no);
                            self.line(&format!("{end}:\ns_or_b64 exec, exec, {saved}"));
                        }
                    }
                    Style::Words => {
                        let first = self.pair - 2;
                        let (low, high) = (format!("s{first}"), format!("s{}", first + 1));
                        self.line(&format!(
                            "s_mov_b32 {low}, exec_lo\ns_mov_b32 {high}, exec_hi\ns_and_b64 exec, exec, vcc"
                        ));
                        self.skip(&other);
                        self.statements(yes);
                        self.line(&format!("{other}:"));
                        if !no.is_empty() {
                            self.line(&format!(
                                "s_andn2_b32 exec_lo, {low}, exec_lo\ns_andn2_b32 exec_hi, {high}, exec_hi"
                            ));
                            self.skip(&end);
                            self.statements(no);
                        }
                        self.line(&format!("{end}:\ns_mov_b64 exec, {saved}"));
                    }
                }
            }
            Loop(rounds, body, of, bit, at) => {
                let (saved, counter) = (self.pair(), self.pair());
                let counter = counter.trim_start_matches("s[").split(':').next().map(|n| format!("s{n}")).unwrap();
                let (head, end) = (self.label(), self.label());
                self.line(&format!("s_mov_b64 {saved}, exec\ns_mov_b32 {counter}, {rounds}\n{head}:"));
                self.statements(&body[..*at]);
                self.condition(*of, *bit);
                self.line(&format!("s_andn2_b64 exec, exec, vcc\ns_cbranch_execz {end}"));
                self.statements(&body[*at..]);
                self.line(&format!(
                    "s_sub_u32 {counter}, {counter}, 1\ns_cmp_lg_u32 {counter}, 0\ns_cbranch_scc1 {head}"
                ));
                self.line(&format!("{end}:\ns_mov_b64 exec, {saved}"));
            }
            Waterfall(of, to, body) => {
                let (saved, left, now) = (self.pair(), self.pair(), self.pair());
                let key = self.vector;
                self.vector += 1;
                let head = self.label();
                self.line(&format!("v_and_b32 v{key}, 3, v{}\ns_mov_b64 {saved}, exec\n{head}:", 4 + of));
                self.line(&format!(
                    "v_readfirstlane_b32 s4, v{key}\nv_cmp_eq_u32 vcc, s4, v{key}\ns_and_saveexec_b64 {left}, vcc"
                ));
                self.line(&format!(
                    "s_mov_b64 {now}, exec\ns_add_u32 s4, s4, 1\nv_add_i32 v{0}, vcc, s4, v{0}",
                    4 + to
                ));
                self.statements(body);
                self.line(&format!(
                    "s_andn2_b64 exec, {left}, {now}\ns_cbranch_execnz {head}\ns_mov_b64 exec, {saved}"
                ));
            }
        }
    }
}

fn program(statements: &[Statement], style: Style, random: &mut Random) -> String {
    let mut writer = Writer { text: String::new(), random, style, pair: 10, label: 0, vector: 10 };
    writer.line("v_lshlrev_b32 v2, 4, v0\nbuffer_load_dwordx4 v[4:7], v2, s[0:3], 0 offen");
    writer.statements(statements);
    writer.line("buffer_store_dwordx4 v[4:7], v2, s[0:3], 0 offen\ns_endpgm");
    writer.text
}

/// Runs what comes of a seed, in waves of a size.
fn check(seed: u64, style: Style, lanes: usize, wave: usize) {
    let mut random = Random(seed);
    let statements = statements(&mut random, 3);
    let text = program(&statements, style, &mut random);
    let memory: Vec<u32> = (0..lanes * 4).map(|_| random.next()).collect();
    let mut machine = Machine::new(lanes as u32, memory.clone());
    machine.wave = wave;
    let got = machine.run(&text);
    let mut expected: Vec<[u32; 4]> = memory.as_chunks::<4>().0.to_vec();
    for lanes in expected.chunks_mut(wave) {
        let active = vec![true; lanes.len()];
        run(&statements, lanes, &active);
    }
    let mut message = String::new();
    write!(message, "seed {seed}, {style:?}, waves of {wave}\n{statements:#?}\n{text}").unwrap();
    assert_eq!(got, expected.concat(), "{message}");
}

#[test]
fn lanes_part_and_meet_as_in_a_wave() {
    for seed in 0..160 {
        check(seed, Style::Saved, 48, 64);
        check(seed, Style::Others, 64, 64);
        check(seed, Style::Words, 64, 64);
    }
}

#[test]
fn waves_of_a_group_go_their_own_ways() {
    for seed in 2000..2050 {
        check(seed, Style::Saved, 160, 64);
        check(seed, Style::Others, 128, 64);
        check(seed, Style::Words, 200, 64);
    }
}

#[test]
fn waves_of_any_size_agree_with_themselves() {
    for (seed, wave) in (1000..1060).zip([1, 4, 8, 32].into_iter().cycle()) {
        check(seed, Style::Saved, 64, wave);
        check(seed, Style::Others, 64, wave);
    }
}
