//! What lanes tell each other, registers named by M0, and VOP3's modifiers.

use crate::machine::Machine;

/// Runs code between loading a word of each lane into v1 and storing v2, with 64 lanes.
fn run(input: impl Fn(u32) -> u32, code: &str) -> Vec<u32> {
    let mut memory: Vec<u32> = (0..64).map(input).collect();
    memory.resize(128, 0);
    let text = format!(
        "v_lshlrev_b32_e32 v0, 2, v0
        buffer_load_dword v1, v0, s[0:3], 0 offen
        {code}
        buffer_store_dword v2, v0, s[0:3], 0 offen offset:256
        s_endpgm"
    );
    Machine::new(64, memory).run(&text)[64..].to_vec()
}

fn floats(input: impl Fn(u32) -> f32, code: &str) -> Vec<f32> {
    run(|lane| input(lane).to_bits(), code).into_iter().map(f32::from_bits).collect()
}

#[test]
fn a_lane_is_read_by_its_number_whatever_exec_is() {
    let got = run(|lane| lane * 3, "s_mov_b32 s8, 21\nv_readlane_b32 s9, v1, s8\nv_mov_b32_e32 v2, s9");
    assert_eq!(got, vec![63; 64]);
}

#[test]
fn the_first_live_lane_is_read() {
    // Lanes 10 and up are live.
    let code = "v_mov_b32_e32 v2, 0
        v_cmp_le_u32_e32 vcc, 100, v1
        s_and_saveexec_b64 s[10:11], vcc
        v_readfirstlane_b32 s9, v1
        s_mov_b64 exec, s[10:11]
        v_mov_b32_e32 v2, s9";
    assert_eq!(run(|lane| lane * 10, code), vec![100; 64]);
}

#[test]
fn one_lane_is_written_though_it_is_not_live() {
    let code = "v_mov_b32_e32 v2, 7
        s_mov_b64 s[10:11], exec
        s_mov_b64 exec, 0
        v_writelane_b32 v2, 99, 5
        s_mov_b64 exec, s[10:11]";
    let wanted: Vec<u32> = (0..64).map(|lane| if lane == 5 { 99 } else { 7 }).collect();
    assert_eq!(run(|_| 0, code), wanted);
}

#[test]
fn registers_are_named_by_m0() {
    let fill: String = (0..4).map(|n| format!("v_mov_b32_e32 v{}, {}\n", 10 + n, 50 + n)).collect();
    let from = format!("{fill}s_mov_b32 m0, 2\nv_movrels_b32_e32 v2, v10");
    assert_eq!(run(|_| 0, &from), vec![52; 64]);
    let to = format!("{fill}s_mov_b32 m0, 3\nv_movreld_b32_e32 v10, v1\nv_mov_b32_e32 v2, v13");
    assert_eq!(run(|lane| lane, &to), (0..64).collect::<Vec<u32>>());
    let both = format!("{fill}s_mov_b32 m0, 1\nv_movrelsd_b32_e32 v12, v10\nv_mov_b32_e32 v2, v13");
    assert_eq!(run(|_| 0, &both), vec![51; 64]);
}

#[test]
fn writes_leave_lanes_alone_that_are_not_live() {
    let code = "v_mov_b32_e32 v2, 1
        v_cmpx_gt_u32_e32 vcc, 20, v1
        v_mov_b32_e32 v2, 2
        s_mov_b64 exec, -1
        v_cndmask_b32_e64 v3, 0, 4, vcc
        v_or_b32_e32 v2, v2, v3";
    let wanted: Vec<u32> = (0..64).map(|lane| if lane < 20 { 6 } else { 1 }).collect();
    assert_eq!(run(|lane| lane, code), wanted);
}

#[test]
fn modifiers_change_sources_and_results() {
    let input = |lane: u32| lane as f32 / 8.0 - 4.0;
    let wanted = |f: fn(f32) -> f32| (0..64).map(|lane| f(input(lane))).collect::<Vec<f32>>();
    assert_eq!(floats(input, "v_add_f32_e64 v2, |v1|, 1.0"), wanted(|x| x.abs() + 1.0));
    assert_eq!(floats(input, "v_add_f32_e64 v2, -v1, 1.0"), wanted(|x| 1.0 - x));
    assert_eq!(floats(input, "v_add_f32_e64 v2, -|v1|, 1.0"), wanted(|x| 1.0 - x.abs()));
    assert_eq!(floats(input, "v_add_f32_e64 v2, v1, 1.0 mul:2"), wanted(|x| (x + 1.0) * 2.0));
    assert_eq!(floats(input, "v_add_f32_e64 v2, v1, 1.0 mul:4"), wanted(|x| (x + 1.0) * 4.0));
    assert_eq!(floats(input, "v_add_f32_e64 v2, v1, 1.0 div:2"), wanted(|x| (x + 1.0) / 2.0));
    assert_eq!(floats(input, "v_add_f32_e64 v2, v1, 0 clamp"), wanted(|x| (x + 0.0).clamp(0.0, 1.0)));
    assert_eq!(floats(input, "v_add_f32_e64 v2, v1, 0 mul:2 clamp"), wanted(|x| (x * 2.0).clamp(0.0, 1.0)));
    // A select is of bits, and its sign changes all the same.
    let select = "v_cmp_lt_f32_e32 vcc, 0, v1\nv_cndmask_b32_e64 v2, v1, -v1, vcc";
    assert_eq!(floats(input, select), wanted(|x| if x > 0.0 { -x } else { x }));
}

#[test]
fn clamping_makes_zero_of_nan_if_the_mode_says_so() {
    let text = "v_lshlrev_b32_e32 v0, 2, v0
        v_mov_b32_e32 v1, 0x7fc00000
        v_add_f32_e64 v1, v1, 0 clamp
        buffer_store_dword v1, v0, s[0:3], 0 offen
        s_endpgm";
    let mut machine = Machine::new(1, vec![5]);
    assert_eq!(machine.run(text), [0]);
    machine.registers.rsrc1 = 0;
    assert!(f32::from_bits(machine.run(text)[0]).is_nan());
}

#[test]
fn lanes_that_a_wave_does_not_have_can_be_written_and_read() {
    // As compilers begin a reduction: every lane of the wave gets a number, then those that are there their own.
    let code = "v_lshlrev_b32_e32 v0, 2, v0
        buffer_load_dword v1, v0, s[0:3], 0 offen
        s_mov_b64 s[10:11], exec
        s_mov_b64 exec, -1
        v_mov_b32_e32 v3, 7
        s_mov_b64 exec, s[10:11]
        v_mov_b32_e32 v3, v1
        v_readlane_b32 s8, v3, 63
        v_readlane_b32 s9, v3, 3
        s_add_u32 s8, s8, s9
        s_bcnt1_i32_b64 s9, exec
        s_lshl_b32 s9, s9, 16
        s_add_u32 s8, s8, s9
        v_mov_b32_e32 v2, s8
        buffer_store_dword v2, v0, s[0:3], 0 offen
        s_endpgm";
    let of = |lanes: u32| Machine::new(lanes, (0..lanes).map(|lane| lane * 3).collect()).run(code);
    assert_eq!(of(40), vec![7 + 9 + (40 << 16); 40]);
    let two = of(100);
    assert_eq!(two[..64], vec![189 + 9 + (64 << 16); 64]);
    assert_eq!(two[64..], vec![7 + 201 + (36 << 16); 36]);
}

#[test]
fn vector_instructions_are_skipped() {
    // What is not run leaves registers and masks as they are; a branch may lead into the middle of them.
    let code = "v_cmp_gt_u32_e32 vcc, 32, v1
        v_mov_b32_e32 v2, 1
        s_mov_b32 s8, 4
        s_setvskip s8, 2
        v_mov_b32_e32 v2, 50
        v_cmp_gt_u32_e32 vcc, 0, v1
        s_add_i32 s9, s8, 3
        s_cmp_eq_i32 s9, 7
        s_cbranch_scc1 into
        v_mov_b32_e32 v2, 60
        into:
        v_mov_b32_e32 v2, 70
        s_setvskip s8, 1
        v_add_i32_e64 v2, s[10:11], s9, v2
        v_cndmask_b32_e64 v2, v2, 9, vcc";
    let wanted: Vec<u32> = (0..64).map(|lane| if lane < 32 { 9 } else { 8 }).collect();
    assert_eq!(run(|lane| lane, code), wanted);
}

#[test]
fn lanes_part_at_forks_and_meet_at_joins() {
    let code = "s_mov_b64 s[10:11], exec
        v_cmp_gt_u32_e32 vcc, 32, v1
        s_cbranch_i_fork vcc, other
        v_mov_b32_e32 v2, 1
        s_branch met
        other:
        s_mov_b64 s[14:15], exec
        v_cmp_gt_u32_e32 vcc, 48, v1
        s_getpc_b64 s[12:13]
        s_add_u32 s12, s12, 20
        s_addc_u32 s13, s13, 0
        s_cbranch_g_fork vcc, s[12:13]
        v_mov_b32_e32 v2, 2
        s_branch inner
        v_mov_b32_e32 v2, 3
        inner:
        s_cbranch_join s9
        s_mov_b64 exec, s[14:15]
        v_add_i32_e32 v2, vcc, 10, v2
        met:
        s_cbranch_join s8
        s_mov_b64 exec, s[10:11]
        v_add_i32_e32 v2, vcc, v2, v1";
    let way = |lane: u32| if lane < 32 { 1 } else { 12 + u32::from(lane >= 48) };
    assert_eq!(run(|lane| lane, code), (0..64).map(|lane| way(lane) + lane).collect::<Vec<_>>());
}

#[test]
fn jumps_go_where_a_constant_behind_their_address_says() {
    // Over the end of the program, and back in front of what was jumped over.
    let code = "s_branch begin
        back:
        v_mov_b32_e32 v2, 77
        s_branch end
        begin:
        s_getpc_b64 s[8:9]
        s_add_u32 s8, s8, 16
        s_addc_u32 s9, s9, 0
        s_setpc_b64 s[8:9]
        s_endpgm
        s_getpc_b64 s[8:9]
        s_add_u32 s8, s8, 0xffffffdc
        v_mov_b32_e32 v2, 1
        s_addc_u32 s9, s9, -1
        s_setpc_b64 s[8:9]
        end:
        v_mov_b32_e32 v2, v2";
    assert_eq!(run(|lane| lane, code), vec![77; 64]);
}
