//! The data share.

use crate::machine::Machine;

/// Runs code with 64 lanes: v0 is the lane's byte offset, four for each; v1 the lane's word. v2 is what comes out.
fn run(input: impl Fn(u32) -> u32, code: &str) -> Vec<u32> {
    let mut memory: Vec<u32> = (0..64).map(input).collect();
    memory.resize(128, 0);
    let text = format!(
        "v_lshlrev_b32_e32 v0, 2, v0
        buffer_load_dword v1, v0, s[0:3], 0 offen
        s_mov_b32 m0, -1
        {code}
        buffer_store_dword v2, v0, s[0:3], 0 offen offset:256
        s_endpgm"
    );
    Machine::new(64, memory).run(&text)[64..].to_vec()
}

fn lanes(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..64).map(f).collect()
}

#[test]
fn words_go_from_lane_to_lane() {
    let code = "ds_write_b32 v0, v1
        s_barrier
        v_sub_i32_e32 v3, vcc, 252, v0
        ds_read_b32 v2, v3";
    let code = code.replace("252", "0xfc");
    assert_eq!(run(|lane| lane + 100, &code), lanes(|lane| 163 - lane));
}

#[test]
fn places_are_one_or_two_of_any_width() {
    let code = "v_lshlrev_b32_e32 v3, 2, v0
        v_add_i32_e32 v4, vcc, 1, v1
        v_add_i32_e32 v5, vcc, 2, v1
        v_add_i32_e32 v6, vcc, 3, v1
        v_mov_b32_e32 v7, v1
        ds_write2_b32 v3, v7, v4 offset0:1 offset1:3
        ds_write2_b32 v3, v5, v6 offset0:2
        ds_read2_b64 v[8:11], v3 offset0:1
        ds_read_b64 v[12:13], v3 offset:8
        ds_read_b128 v[16:19], v3
        v_lshlrev_b32_e32 v2, 8, v9
        v_or_b32_e32 v2, v2, v8
        v_lshlrev_b32_e32 v12, 16, v12
        v_or_b32_e32 v2, v2, v12
        v_lshlrev_b32_e32 v17, 24, v17
        v_or_b32_e32 v2, v2, v17";
    // Word 0 is x + 3, then x, x + 2, x + 1.
    assert_eq!(
        run(|lane| (lane * 4) & 63, code),
        lanes(|lane| {
            let x = (lane * 4) & 63;
            (x + 2) | (x + 1) << 8 | (x + 2) << 16 | x << 24
        })
    );
}

#[test]
fn offsets_of_stride_count_sixty_four_elements() {
    let code = "ds_write2st64_b32 v0, v1, v0 offset0:1 offset1:2
        ds_read_b32 v3, v0 offset:256
        ds_read_b32 v4, v0 offset:512
        ds_read2st64_b32 v[5:6], v0 offset0:2 offset1:1
        v_sub_i32_e32 v2, vcc, v3, v6
        v_sub_i32_e32 v7, vcc, v4, v5
        v_or_b32_e32 v2, v2, v7
        v_add_i32_e32 v2, vcc, v2, v3";
    assert_eq!(run(|lane| lane + 7, code), lanes(|lane| lane + 7));
}

#[test]
fn bytes_beside_each_other_are_written_by_different_lanes() {
    let code = "v_lshrrev_b32_e32 v3, 2, v0
        ds_write_b8 v3, v1
        s_barrier
        v_and_b32_e32 v4, 60, v3
        ds_read_b32 v2, v4
        ds_read_i8 v5, v3
        v_lshlrev_b32_e32 v6, 1, v3
        ds_write_b16 v6, v5 offset:64
        s_barrier
        ds_read_i16 v7, v6 offset:64
        ds_read_u16 v8, v6 offset:64
        v_add_i32_e32 v2, vcc, v2, v7
        v_add_i32_e32 v2, vcc, v2, v8";
    let byte = |lane: u32| (lane * 5) & 255;
    assert_eq!(
        run(byte, code),
        lanes(|lane| {
            let first = lane & 60;
            let word = (0..4).fold(0, |word, n| word | byte(first + n) << (8 * n));
            let signed = byte(lane) as i8 as i32 as u32;
            word.wrapping_add(signed).wrapping_add(signed & 0xffff)
        })
    );
}

#[test]
fn atomic_operations_count_up_in_one_place() {
    // Every lane adds its word; each gets what those before it had added.
    let code = "v_mov_b32_e32 v3, 0
        ds_write_b32 v3, v3 offset:16
        s_barrier
        ds_add_rtn_u32 v2, v3, v1 offset:16
        s_barrier
        ds_read_b32 v4, v3 offset:16
        v_lshlrev_b32_e32 v4, 16, v4
        v_or_b32_e32 v2, v2, v4";
    assert_eq!(run(|lane| lane, code), lanes(|lane| (lane * lane.saturating_sub(1) / 2) | 2016 << 16));
}

/// Operation, memory, first and second datum, and what is there then.
const ATOMICS: &[(&str, u32, u32, u32, u32)] = &[
    ("ds_sub_rtn_u32 v4, v0, v5", 20, 3, 0, 17),
    ("ds_rsub_rtn_u32 v4, v0, v5", 20, 3, 0, 3u32.wrapping_sub(20)),
    ("ds_inc_rtn_u32 v4, v0, v5", 20, 20, 0, 0),
    ("ds_dec_rtn_u32 v4, v0, v5", 20, 3, 0, 3),
    ("ds_min_rtn_i32 v4, v0, v5", 20, -3i32 as u32, 0, -3i32 as u32),
    ("ds_max_rtn_u32 v4, v0, v5", 20, -3i32 as u32, 0, -3i32 as u32),
    ("ds_mskor_rtn_b32 v4, v0, v5, v6", 0xff, 0x0f, 0x100, 0x1f0),
    ("ds_wrxchg_rtn_b32 v4, v0, v5", 20, 3, 0, 3),
    ("ds_cmpst_rtn_b32 v4, v0, v5, v6", 20, 20, 7, 7),
    ("ds_cmpst_rtn_b32 v4, v0, v5, v6", 20, 21, 7, 20),
    ("ds_cmpst_rtn_f32 v4, v0, v5, v6", 0x8000_0000, 0, 7, 7),
    ("ds_min_rtn_f32 v4, v0, v5", 0x3f80_0000, 0xbf80_0000, 0, 0xbf80_0000),
    ("ds_max_rtn_f32 v4, v0, v5", 0x3f80_0000, 0xbf80_0000, 0, 0x3f80_0000),
    ("ds_wrap_rtn_b32 v4, v0, v5, v6", 20, 3, 9, 17),
    ("ds_wrap_rtn_b32 v4, v0, v5, v6", 2, 3, 9, 11),
];

#[test]
fn atomic_operations_take_their_data_in_order() {
    for &(instruction, memory, first, second, wanted) in ATOMICS {
        let code = format!(
            "ds_write_b32 v0, v1
            v_mov_b32_e32 v5, {first:#x}
            v_mov_b32_e32 v6, {second:#x}
            {instruction}
            ds_read_b32 v2, v0
            v_sub_i32_e32 v4, vcc, v4, v1
            v_add_i32_e32 v2, vcc, v2, v4"
        );
        assert_eq!(run(|_| memory, &code), vec![wanted; 64], "{instruction} of {memory:#x}");
    }
}

#[test]
fn words_with_their_highest_bit_are_exchanged() {
    let code = "v_lshlrev_b32_e32 v3, 1, v0
        v_mov_b32_e32 v4, 5
        v_mov_b32_e32 v5, 6
        ds_write_b64 v3, v[4:5]
        v_mov_b32_e32 v6, 0x80000007
        v_mov_b32_e32 v7, 8
        ds_condxchg32_rtn_b64 v[8:9], v3, v[6:7]
        ds_read_b64 v[10:11], v3
        v_lshlrev_b32_e32 v2, 8, v11
        v_or_b32_e32 v2, v2, v10
        v_lshlrev_b32_e32 v9, 16, v9
        v_or_b32_e32 v2, v2, v9
        v_lshlrev_b32_e32 v8, 24, v8
        v_or_b32_e32 v2, v2, v8";
    assert_eq!(run(|_| 0, code), vec![0x0506_0607; 64]);
}

#[test]
fn a_second_operand_is_read_from_the_share() {
    let code = "ds_write_b32 v0, v1
        ds_write_b32 v0, v0 offset:256
        ds_add_src2_u32 v0 offset:64
        ds_read_b32 v2, v0";
    assert_eq!(run(|lane| lane, code), lanes(|lane| lane + 4 * lane));
}

#[test]
fn m0_ends_the_share_where_a_program_sets_it() {
    let code = "v_mov_b32_e32 v2, 9
        ds_write_b32 v0, v2
        s_mov_b32 m0, 0x80
        ds_write_b32 v0, v1
        ds_read_b32 v3, v0
        s_mov_b32 m0, -1
        ds_read_b32 v2, v0
        v_lshlrev_b32_e32 v3, 8, v3
        v_or_b32_e32 v2, v2, v3";
    assert_eq!(run(|lane| lane, code), lanes(|lane| if lane < 32 { lane | lane << 8 } else { 9 }));
}

#[test]
fn counters_move_by_the_live_lanes() {
    let code = "v_mov_b32_e32 v3, 0
        v_mov_b32_e32 v2, 77
        ds_write_b32 v3, v3 offset:8
        v_cmpx_gt_u32_e32 vcc, 40, v1
        s_mov_b32 m0, 0x80000
        ds_append v2
        s_mov_b64 exec, -1
        s_mov_b32 m0, -1
        ds_read_b32 v4, v3 offset:8
        v_lshlrev_b32_e32 v4, 8, v4
        v_or_b32_e32 v2, v2, v4";
    assert_eq!(run(|lane| lane, code), lanes(|lane| if lane < 40 { 40 << 8 } else { 77 | 40 << 8 }));
}

#[test]
fn patterns_name_the_lane_that_is_read() {
    assert_eq!(run(|lane| lane, "ds_swizzle_b32 v2, v1 offset:0x80e4"), lanes(|lane| lane));
    // Each quad reversed.
    assert_eq!(run(|lane| lane, "ds_swizzle_b32 v2, v1 offset:0x801b"), lanes(|lane| lane ^ 3));
    // Halves of 32 exchanged by the exclusive or of 16.
    assert_eq!(run(|lane| lane, "ds_swizzle_b32 v2, v1 offset:0x401f"), lanes(|lane| lane ^ 16));
    // The first of each eight.
    assert_eq!(run(|lane| lane, "ds_swizzle_b32 v2, v1 offset:0x18"), lanes(|lane| lane & !7));
}

#[test]
fn a_group_of_one_wave_is_kept_in_step_where_all_lanes_are() {
    let text = |lanes: u32, code: &str| {
        let code = format!(
            "s_mov_b32 m0, -1\nv_lshlrev_b32_e32 v0, 2, v0\n{code}\nbuffer_store_dword v2, v0, s[0:3], 0 offen\ns_endpgm"
        );
        let text = Machine::new(lanes, vec![0; 128]).text(&code);
        let count = |what| text.lines().filter(|line| line.trim() == what).count();
        (count("barrier"), count("guest_waves"))
    };
    let exchange = "ds_write_b32 v0, v0\nds_read_b32 v2, v0 offset:4";
    assert_eq!([text(64, exchange), text(128, exchange)], [(1, 0), (0, 1)]);
    let waited = exchange.replace('\n', "\ns_barrier\n");
    assert_eq!([text(64, &waited), text(128, &waited)], [(1, 0), (1, 0)]);
    // What only some lanes do is waited for in front, where all are.
    let some = |code| {
        format!(
            "ds_write_b32 v0, v0
            v_cmp_gt_u32_e32 vcc, 32, v0
            s_and_saveexec_b64 s[8:9], vcc
            s_cbranch_execz done
            {code}
            done:
            s_mov_b64 exec, s[8:9]"
        )
    };
    assert_eq!(text(64, &some("ds_read_b32 v2, v0 offset:4")), (1, 0));
    // If they also wait for each other, or ask each other, all stay together.
    assert_eq!(text(64, &some("ds_read_b32 v2, v0 offset:4\nds_write_b32 v0, v2")), (2, 1));
    assert_eq!(text(64, &format!("{exchange}\nv_readfirstlane_b32 s8, v2")), (1, 1));
}

#[test]
fn lanes_that_are_apart_exchange_what_they_have() {
    // Four rounds in which the lower lanes pass what they have to the lane before.
    let code = "s_mov_b32 m0, -1
        v_lshlrev_b32_e32 v0, 2, v0
        ds_write_b32 v0, v0
        v_mov_b32 v2, 0
        v_cmp_gt_u32_e32 vcc, 128, v0
        s_and_saveexec_b64 s[8:9], vcc
        s_cbranch_execz done
        s_mov_b32 s10, 4
        next:
        ds_read_b32 v2, v0 offset:4
        ds_write_b32 v0, v2
        s_sub_u32 s10, s10, 1
        s_cmp_lg_u32 s10, 0
        s_cbranch_scc1 next
        done:
        s_mov_b64 exec, s[8:9]
        buffer_store_dword v2, v0, s[0:3], 0 offen
        s_endpgm";
    let machine = Machine::new(64, vec![0; 64]);
    let passed = |lane: u32| if lane < 32 { 4 * (lane + 4).min(32) } else { 0 };
    assert_eq!(machine.run(code), (0..64).map(passed).collect::<Vec<u32>>());
}

#[test]
fn waves_of_a_group_exchange_without_barriers() {
    // A sum over the group, as hand-written code has it: a barrier between steps that go across waves, none in the last six.
    let step = |lanes: u32, code: &str| {
        format!(
            "v_cmp_gt_u32_e32 vcc, {lanes}, v4
            s_and_saveexec_b64 s[8:9], vcc
            ds_read_b32 v2, v0
            ds_read_b32 v3, v0 offset:{}
            v_add_i32_e32 v2, vcc, v2, v3
            ds_write_b32 v0, v2
            s_mov_b64 exec, s[8:9]
            {code}\n",
            4 * lanes
        )
    };
    let mut code = "s_mov_b32 m0, -1
        v_mov_b32_e32 v4, v0
        v_lshlrev_b32_e32 v0, 2, v0
        buffer_load_dword v1, v0, s[0:3], 0 offen
        s_waitcnt vmcnt(0)
        ds_write_b32 v0, v1
        s_barrier\n"
        .to_owned();
    code += &step(128, "s_barrier");
    code += &step(64, "s_barrier");
    code += "v_cmp_gt_u32_e32 vcc, 64, v4
        s_and_saveexec_b64 s[10:11], vcc
        s_cbranch_execz done\n";
    for lanes in [32, 16, 8, 4, 2, 1] {
        code += &step(lanes, "");
    }
    code += "done:
        s_mov_b64 exec, s[10:11]
        s_barrier
        v_mov_b32_e32 v3, 0
        ds_read_b32 v2, v3
        buffer_store_dword v2, v0, s[0:3], 0 offen
        s_endpgm";
    let memory: Vec<u32> = (0..256u32).map(|n| n * n + 7).collect();
    let sum = memory.iter().sum();
    let machine = Machine::new(256, memory);
    assert_eq!(machine.run(&code), vec![sum; 256]);
    let text = machine.text(&code);
    assert!(text.contains("guest_waves") && text.contains("wave_barrier"), "{text}");
}

#[test]
fn waves_meet_at_barriers_in_loops_that_they_leave_apart() {
    // Each wave goes as many rounds as its number says, asking its lanes in each; then all of them meet.
    let code = "s_mov_b32 m0, -1
        v_mbcnt_lo_u32_b32 v5, -1, 0
        v_mbcnt_hi_u32_b32 v5, -1, v5
        v_lshrrev_b32_e32 v4, 6, v0
        v_lshlrev_b32_e32 v0, 2, v0
        v_readfirstlane_b32 s8, v4
        s_add_u32 s8, s8, 1
        v_mov_b32_e32 v2, 0
        next:
        v_cmp_gt_u32_e32 vcc, s8, v5
        s_bcnt1_i32_b64 s9, vcc
        v_add_i32_e32 v2, vcc, s9, v2
        ds_swizzle_b32 v3, v5 offset:0x041f
        s_waitcnt lgkmcnt(0)
        v_add_i32_e32 v2, vcc, v2, v3
        s_sub_u32 s8, s8, 1
        s_cmp_lg_u32 s8, 0
        s_cbranch_scc1 next
        ds_write_b32 v0, v2
        s_barrier
        v_xor_b32_e32 v1, 0x100, v0
        ds_read_b32 v2, v1
        buffer_store_dword v2, v0, s[0:3], 0 offen
        s_endpgm";
    let of = |lane: u32| {
        let (rounds, place) = (lane / 64 + 1, lane % 64);
        let other = place & 31 ^ 1 | place & 32;
        (1..=rounds).map(|left| left.min(64)).sum::<u32>() + rounds * other
    };
    let wanted: Vec<u32> = (0..256).map(|lane| of(lane ^ 64)).collect();
    assert_eq!(Machine::new(256, vec![0; 256]).run(code), wanted);
}

/// Each lane's word goes behind the place that M0 says, in the order of lanes.
#[test]
fn words_of_buffers_go_into_the_share() {
    let code = "s_mov_b32 m0, 16
        buffer_load_dword v4, v0, s[0:3], 0 offen lds
        s_mov_b32 m0, -1
        v_sub_i32_e32 v3, vcc, 0x10c, v0
        ds_read_b32 v2, v3";
    assert_eq!(run(|lane| lane + 100, code), lanes(|lane| 163 - lane));
    let code = "s_mov_b32 m0, 16
        buffer_load_sbyte v4, v0, s[0:3], 0 offen offset:1 lds
        s_mov_b32 m0, -1
        v_add_i32_e32 v3, vcc, 17, v0
        ds_read_b32 v2, v3";
    assert_eq!(run(|lane| lane << 8 | 0x8000, code), lanes(|lane| lane | 0xffff_ff80));
}

/// The operand is what M0 says: a place, and bytes, halves or words, with or without signs.
#[test]
fn an_operand_comes_out_of_the_share() {
    let first = |kind: u32, place: u32| {
        let code = format!(
            "ds_write_b32 v0, v1
             s_barrier
             s_mov_b32 m0, {:#x}
             v_mov_b32_e32 v2, src_lds_direct
             s_mov_b32 m0, -1",
            kind << 16 | place
        );
        let found = run(|lane| lane << 24 | 0x80_90a0, &code);
        assert!(found.iter().all(|&word| word == found[0]), "{found:x?}");
        found[0]
    };
    assert_eq!(first(2, 8), 0x0280_90a0);
    assert_eq!([first(0, 9), first(4, 9)], [0x90, 0xffff_ff90]);
    assert_eq!([first(1, 8), first(5, 8)], [0x90a0, 0xffff_90a0]);
}
