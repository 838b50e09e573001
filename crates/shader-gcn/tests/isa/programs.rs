//! Programs: what is reached, how they look, and what is wrong with those that are none.

use afterimage_shader_gcn::io::HwStage;
use afterimage_shader_gcn::tables::Ty;
use afterimage_shader_gcn::{Inst, MAX_WORDS, MOST_ERRORS, Operand, ParseError, Program, assemble, code_length};

fn parsed(text: &str) -> Result<Program, ParseError> {
    Program::parse(&assemble(text).unwrap_or_else(|error| panic!("{error}")), HwStage::Cs)
}

/// A loop, code behind an end that a branch reaches, words between them that nothing reaches, and a tail.
const LOOP: &str = "
    s_mov_b32 vcc_hi, 0x12345678        ; comments
    s_movk_i32 s4, 0x10
again:
    s_sub_u32 s4, s4, 1                 // of both kinds
    v_mac_f32 v1, v2, v3
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 again
    s_cbranch_vccz far
    s_endpgm
    .long 0xdeadbeef
far: exp mrt0 v1, v1, v1, off done vm
    s_endpgm
    s_nop 0
";

#[test]
fn a_program_is_what_can_be_reached() {
    let program = parsed(LOOP).expect("a program");
    let expected = "    \
    s_mov_b32 vcc_hi, 0x12345678                             // 0000: beeb03ff 12345678
    s_movk_i32 s4, 0x10                                      // 0002: b0040010
L0003:
    s_sub_u32 s4, s4, 1                                      // 0003: 80848104
    v_mac_f32_e32 v1, v2, v3                                 // 0004: 3e020702
    s_cmp_lg_u32 s4, 0                                       // 0005: bf078004
    s_cbranch_scc1 L0003                                     // 0006: bf85fffc
    s_cbranch_vccz L000a                                     // 0007: bf860002
    s_endpgm                                                 // 0008: bf810000
    .long 0xdeadbeef                                         // 0009: deadbeef
L000a:
    exp mrt0 v1, v1, v1, off done vm                         // 000a: f8001807 00010101
    s_endpgm                                                 // 000c: bf810000
";
    assert_eq!(program.to_string(), expected);
    assert_eq!(program.words().len(), 13, "the s_nop behind the end is not reached");
    assert_eq!((program.at(10), program.at(9), program.at(11), program.at(99)), (Some(8), None, None, None));
    let branch = &program.insts()[5];
    assert_eq!((branch.at, branch.target()), (6, Some(3)));
}

#[test]
fn calls_come_back_and_jumps_do_not() {
    let program = parsed("s_swappc_b64 s[4:5], s[4:5]\ns_setpc_b64 s[0:1]\n.long 0xffffffff").expect("a program");
    assert_eq!(program.words().len(), 2);
}

#[test]
fn a_loop_without_an_end_is_a_program() {
    assert_eq!(parsed("s_branch -1").expect("a program").insts().len(), 1);
    assert_eq!(parsed("s_nop 0\ns_cbranch_scc0 -2\ns_branch 65533").expect("a program").words().len(), 3);
}

#[test]
fn what_is_no_program_says_where() {
    use ParseError::*;
    assert_eq!(parsed(""), Err(Truncated { at: 0 }));
    assert_eq!(parsed("s_nop 0"), Err(Truncated { at: 1 }));
    assert_eq!(parsed("s_branch 4\ns_endpgm"), Err(Truncated { at: 5 }));
    assert_eq!(parsed(".long 0xbe8003ff"), Err(Truncated { at: 1 }));
    assert_eq!(parsed("s_nop 0\ns_branch -3"), Err(Before { at: 1, target: -1 }));
    assert_eq!(parsed("s_mov_b32 s0, 0x12345\ns_branch -2"), Err(Overlap { at: 1 }));
    let behind = "s_branch 2\ns_mov_b32 s0, 0xbf810000\ns_cbranch_scc0 -3\ns_branch -3";
    assert_eq!(parsed(behind), Err(Overlap { at: 2 }));
    assert_eq!(parsed("s_nop 0\n.long 0xbfff0000"), Err(Unknown { at: 1, word: 0xBFFF_0000 }));
    let error = parsed("s_nop 0\n.long 0xbe8003d1").expect_err("a code without a meaning");
    assert_eq!(
        error.to_string(),
        "s_mov_b32 at word 0x0001 of the program has an operand of code 209, which there is not"
    );
    assert_eq!(code_length(|_| Some(0xBF80_0000)), Err(TooLong { at: MAX_WORDS as u32 }));
}

#[test]
fn text_that_is_wrong_says_so() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("s_nop 0\nv_frob v0", "line 2, column 1: \"v_frob\" is no gfx7 instruction"),
        ("  v_ad_f32 v0, v1, v2", "line 1, column 3: \"v_ad_f32\" is no gfx7 instruction; did you mean v_add_f32?"),
        ("v_sub_f23_e64 v0, v1, v2", "\"v_sub_f23_e64\" is no gfx7 instruction; did you mean v_sub_f32_e64?"),
        ("s_mov_b32 s0", "line 1, column 13: expected a comma, found the end of the line"),
        ("s_mov_b32 s0,", "column 14: expected a scalar register or a constant, found the end of the line"),
        ("s_mov_b32 s0, s104", "column 15: a scalar register is 0 to 103, not s104"),
        ("v_mov_b32 v256, 0", "column 11: a vector register is 0 to 255, not v256"),
        (
            "v_add_f64 v[1:0], v[2:3], v[4:5]",
            "column 11: expected a vector register, as v0 or v[0:1], found \"v[1:0]\"",
        ),
        ("v_mov_b32 v[0, 0", "expected a closing bracket, as in v[0:1]"),
        ("v_add_f32_e32 v0, v1, s2", "column 23: v_add_f32_e32 takes a vector register here, not s2"),
        (
            "v_add_f32_e64 v0, v1, 0x123456",
            "takes a vector register, a scalar register or an inline constant (-16 to 64;",
        ),
        ("v_add_f32 s0, v1, v2", "column 11: v_add_f32 takes a vector register here, not s0"),
        ("v_add_f64 v[0:1], foo, v[4:5]", "column 19: expected 2 vector registers, as v[0:1]"),
        ("s_load_dwordx4 v0, s[2:3], 0", "column 16: s_load_dwordx4 takes 4 scalar registers, as s[0:3] here, not v0"),
        (
            "s_load_dwordx2 s[0:1], s[3:4], 0",
            "column 24: s_load_dwordx2 takes 2 scalar registers from an even number on, as s[0:1] here, not s3",
        ),
        (
            "buffer_load_dword v0, off, v4, 0",
            "column 28: buffer_load_dword takes 4 scalar registers from a multiple of 4 on, as s[0:3] here, not v4",
        ),
        ("image_load v[0:3], s0, s[8:15] dmask:0xf", "column 20: image_load takes a vector register here, not s0"),
        ("v_madmk_f32_e64 v0, v1, 0x123, v2", "column 1: v_madmk_f32 has no Vop3 encoding"),
        ("s_add_u32 s0, 0x123, 0x456", "column 1: s_add_u32 has two literals that differ"),
        ("ds_read_b32 v0, v1 offset:65536", "column 20: offset is 0 to 65535, not 65536"),
        (
            "ds_read_b32 v0, v1 glc",
            "column 20: \"glc\" is no modifier of ds_read_b32, which has offset:0 to 65535, gds",
        ),
        ("s_mov_b32 s0, s1 clamp", "\"clamp\" is no modifier of s_mov_b32, which has none"),
        (
            "v_add_f32_e32 v0, off, v1",
            "column 19: v_add_f32_e32 takes a vector register, a scalar register or a constant here, not off",
        ),
        (
            "buffer_load_dword v0, off, s[4:7], 0 idxen",
            "buffer_load_dword has an address register with idxen, offen or addr64, and `off` without",
        ),
        ("s_branch nowhere", "column 10: there is no label \"nowhere\""),
        ("lop:\ns_branch loop", "line 2, column 10: there is no label \"loop\"; did you mean lop?"),
        ("a:\n  a: s_nop 0", "line 2, column 3: the label \"a\" is there already, in line 1"),
        ("exp mrt0 v0, v1, v2, v3 compr", "a compressed export has one register for each two components"),
        ("exp mrt9 v0, v1, v2, v3", "column 5: expected an export target: mrt0 to mrt7,"),
        ("s_waitcnt vmcnt(16)", "column 11: vmcnt is 0 to 15, not 16"),
        ("s_waitcnt foo(1)", "expected a counter: vmcnt, expcnt, lgkmcnt"),
        ("s_sendmsg sendmsg(MSG_NO)", "expected a message: MSG_INTERRUPT, MSG_GS, MSG_GS_DONE, or its number, 0 to 15"),
        ("v_interp_p1_f32 v0, v1, attr64.x", "column 25: expected an attribute and its component: attr0.x to attr63.w"),
        (".long fish", "column 7: expected a word, 0 to 0xffffffff, found \"fish\""),
        ("// \u{e4}\n/**/ \u{e4} v0", "line 2, column 1: \"/**/\" is no gfx7 instruction"),
    ] {
        let message = assemble(text).map_or_else(|error| error.to_string(), |words| format!("{words:x?}"));
        if !message.contains(expected) || message.lines().count() != 1 {
            wrong.push(format!("{text}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_line_that_is_wrong_is_told_up_to_a_bound() {
    let errors = assemble("v_ad_f32 v0, v1, v2\ns_nop 0\ns_branch no\ns_mov_b32 v0, s1\n").expect_err("wrong text");
    let places: Vec<(usize, usize)> = errors.errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!((places, errors.more), (vec![(1, 1), (3, 10), (4, 11)], 0));
    assert_eq!(errors.to_string().lines().count(), 3);
    let text = "v_ad_f32 v0, v1, v2\ns_nop 0\n".repeat(MOST_ERRORS + 7);
    let errors = assemble(&text).expect_err("wrong text");
    assert_eq!((errors.errors.len(), errors.more), (MOST_ERRORS, 7));
    assert!(errors.to_string().ends_with(
        "line 39, column 1: \"v_ad_f32\" is no gfx7 instruction; did you mean v_add_f32?\nand 7 other lines are wrong"
    ));
    // A branch over what is not there is not too far.
    let far = format!("s_branch end\n{}v_frob v0\nend: s_endpgm", "s_nop 0\n".repeat(40_000));
    assert_eq!(assemble(&far).expect_err("wrong text").errors.len(), 1);
    let far = far.replace("v_frob v0\n", "");
    assert_eq!(
        assemble(&far).expect_err("too far").to_string(),
        "line 1, column 10: the branch to \"end\" goes further than 32767 words"
    );
}

#[test]
fn the_long_form_is_taken_where_the_short_does_not_fit() {
    for (text, long) in [
        ("v_add_f32 v0, s1, v2", "v_add_f32_e32 v0, s1, v2"),
        ("v_add_f32 v0, v1, s2", "v_add_f32_e64 v0, v1, s2"),
        ("v_add_f32 v0, v1, -v2", "v_add_f32_e64 v0, v1, -v2"),
        ("v_cmp_lt_f32 s[4:5], v1, v2", "v_cmp_lt_f32_e64 s[4:5], v1, v2"),
        ("v_cndmask_b32 v0, v1, v2, vcc", "v_cndmask_b32_e32 v0, v1, v2, vcc"),
        ("v_mov_b32 v0, 0x3f800000", "v_mov_b32_e32 v0, 1.0"),
        ("v_mov_b32 v0, 0.25", "v_mov_b32_e32 v0, 0x3e800000"),
        ("s_mov_b64 s[0:1], 0xffffffff", "s_mov_b64 s[0:1], 0xffffffff"),
        ("s_mov_b32 s0, 0xffffffff", "s_mov_b32 s0, -1"),
    ] {
        let words = assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(Inst::decode(&words, 0).map(|inst| inst.to_string()).as_deref(), Ok(long));
    }
}

#[test]
fn instructions_say_what_they_read_and_write() {
    for (text, reads, writes) in [
        ("s_load_dwordx4 s[8:11], s[2:3], 0x4", "s2x2", "s8x4"),
        ("v_mac_f32_e32 v0, s1, v2", "s1x1 v2x1 v0x1", "v0x1"),
        ("v_addc_u32_e32 v0, vcc, 1, v2, vcc", "v2x1 vcc_lox2", "v0x1 vcc_lox2"),
        ("v_cmpx_lt_f64_e32 vcc, v[2:3], v[4:5]", "v2x2 v4x2", "vcc_lox2"),
        ("buffer_load_format_xyz v[4:6], v[0:1], s[4:7], s3 idxen offen", "v0x2 s4x4 s3x1", "v4x3"),
        ("buffer_atomic_cmpswap v[4:5], v0, s[4:7], 0 idxen glc", "v0x1 s4x4 v4x2", "v4x1"),
        ("image_sample_l v[4:5], v[0:1], s[8:15], s[4:7] dmask:0x5", "v0x2 s8x8 s4x4", "v4x2"),
        ("image_atomic_cmpswap v[4:5], v0, s[8:15] dmask:0x3 glc", "v0x1 s8x8 v4x2", "v4x1"),
        ("ds_write2_b64 v0, v[2:3], v[4:5] offset1:1", "v0x1 v2x2 v4x2", ""),
        ("exp mrt0 v1, v1, v2, v2 compr", "v1x1 v2x1", ""),
        ("s_swappc_b64 s[0:1], s[2:3]", "s2x2", "s0x2"),
        ("s_addk_i32 s4, 0x10", "s4x1", "s4x1"),
    ] {
        let inst = Inst::decode(&assemble(text).expect("text"), 0).expect("an instruction");
        let list = |registers: &[afterimage_shader_gcn::inst::Registers]| {
            registers.iter().map(|r| format!("{}x{}", r.first, r.count)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (list(&inst.reads()).as_str(), list(&inst.writes().collect::<Vec<_>>()).as_str()),
            (reads, writes),
            "{text}"
        );
    }
}

#[test]
fn constants_have_the_form_of_their_type() {
    assert_eq!(Operand::Int(-1).constant(Ty::B32), Some(0xFFFF_FFFF));
    assert_eq!(Operand::Int(-1).constant(Ty::B64), Some(u64::MAX));
    assert_eq!(Operand::Float(0x3F80_0000).constant(Ty::F64), Some(0x3FF0_0000_0000_0000));
    assert_eq!(Operand::Literal(0x3FF0_0000).constant(Ty::F64), Some(0x3FF0_0000_0000_0000));
    assert_eq!(Operand::Literal(0x8000_0000).constant(Ty::B64), Some(0x8000_0000));
    assert_eq!(Operand::Literal(0x8000_0000).constant(Ty::I64), Some(0xFFFF_FFFF_8000_0000));
    assert_eq!(Operand::Sgpr(3).constant(Ty::B32), None);
}
