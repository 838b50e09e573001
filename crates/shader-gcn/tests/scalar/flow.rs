//! Control flow of any shape, from words to what memory holds in the end.

use std::fmt::Write as _;

use crate::Random;
use crate::machine::Machine;

/// Blocks after which a program ends, wherever it is.
const FUEL: u32 = 40;

#[derive(Clone, Copy, Debug)]
enum Exit {
    End,
    Goto(u32),
    Branch(u32, u32),
}

fn graph(random: &mut Random, count: u32) -> Vec<Exit> {
    (0..count)
        .map(|at| {
            let (near, to, other) = ((at + 1).min(count - 1), random.below(count), random.below(count));
            match random.below(8) {
                0 => Exit::End,
                1 => Exit::Goto(to),
                2..=5 => Exit::Branch(to, near),
                _ => Exit::Branch(to, other),
            }
        })
        .collect()
}

fn step(hash: u32, block: u32) -> u32 {
    (hash ^ (block + 1)).wrapping_mul(0x9E37_79B1)
}

fn walk(exits: &[Exit], mut hash: u32) -> u32 {
    let mut at = 0;
    for _ in 0..FUEL {
        hash = step(hash, at);
        at = match exits[at as usize] {
            Exit::End => return hash,
            Exit::Goto(to) => to,
            Exit::Branch(yes, no) => {
                if hash >> 13 & 1 != 0 {
                    yes
                } else {
                    no
                }
            }
        };
    }
    hash
}

/// Scalar branches by bits of a hash of the blocks so far, on a condition that a vector comparison makes in every other block.
fn program(exits: &[Exit]) -> String {
    let mut text = String::from(
        "v_lshlrev_b32 v1, 2, v0\nbuffer_load_dword v2, v1, s[0:3], 0 offen\nv_readfirstlane_b32 s10, v2\ns_mov_b32 s11, 0\n",
    );
    for (at, exit) in exits.iter().enumerate() {
        writeln!(text, "b{at}:\ns_xor_b32 s10, s10, {}\ns_mul_i32 s10, s10, 0x9e3779b1\ns_add_u32 s11, s11, 1", at + 1)
            .unwrap();
        writeln!(text, "s_cmp_ge_u32 s11, {FUEL}\ns_cbranch_scc1 end").unwrap();
        match exit {
            Exit::End => writeln!(text, "s_branch end").unwrap(),
            Exit::Goto(to) => writeln!(text, "s_branch b{to}").unwrap(),
            Exit::Branch(yes, no) if at % 2 == 0 => {
                writeln!(text, "s_bitcmp1_b32 s10, 13\ns_cbranch_scc1 b{yes}\ns_branch b{no}").unwrap();
            }
            Exit::Branch(yes, no) => {
                text += "v_mov_b32 v3, s10\nv_bfe_u32 v3, v3, 13, 1\nv_cmp_eq_u32 vcc, 1, v3\n";
                writeln!(text, "s_cbranch_vccz b{no}\ns_branch b{yes}").unwrap();
            }
        }
    }
    text + "end:\nv_mov_b32 v2, s10\nbuffer_store_dword v2, v1, s[0:3], 0 offen\ns_endpgm\n"
}

#[test]
fn graphs_of_any_shape_are_followed() {
    let mut random = Random(3);
    for round in 0..120 {
        let exits = graph(&mut random, 2 + round % 14);
        let start = random.next();
        let memory = vec![start; 1];
        let text = program(&exits);
        assert_eq!(Machine::new(1, memory).run(&text)[0], walk(&exits, start), "{exits:?}\n{text}");
    }
}
