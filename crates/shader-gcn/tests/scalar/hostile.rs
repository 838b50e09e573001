//! Programs of arbitrary words are translated or refused, and what comes out is a module.

use afterimage_ir::verify;
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader_gcn::generate::program;
use afterimage_shader_gcn::io::{BufferSpec, HwStage, ImageSpec, Registers, Source};
use afterimage_shader_gcn::{assemble, lift, resources};
use proptest::prelude::*;

/// A register full of whatever there is.
fn registers(word: impl Fn(usize) -> u32) -> Registers {
    let mut registers = Registers::default();
    let words: &mut [u32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut registers));
    words.iter_mut().enumerate().for_each(|(at, register)| *register = word(at));
    registers
}

/// Scalar code that makes descriptors known, so that more of what follows is translated.
const KNOWN: &str = "s_load_dwordx16 s[16:31], s[0:1], 0x0
    s_load_dwordx16 s[32:47], s[0:1], 0x10
    s_load_dwordx16 s[48:63], s[0:1], 0x20";

fn check(stage: HwStage, code: Vec<u32>, fetch: Vec<u32>, random: &[u32]) {
    let word = |at: usize| random.get(at % random.len().max(1)).copied().unwrap_or(0);
    let mut source = Source {
        stage,
        code,
        fetch,
        registers: registers(word),
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    if random.len().is_multiple_of(2) {
        source.registers.rsrc2 = 16 << 1;
        source.registers.num_thread = [8, 4, 1];
    }
    if let Ok(found) = resources(&source) {
        source.buffers =
            (0..found.buffers.len()).map(|at| BufferSpec { word1: word(at), word3: word(at + 7) }).collect();
        source.images = (0..found.images.len())
            .map(|at| ImageSpec { kind: word(at), format: word(at + 3), select: word(at + 5), compare: word(at + 9) })
            .collect();
    }
    if let Ok(mut module) = lift(&source) {
        verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
        optimize(&mut module, &Options { float_rules: FloatRules::Strict });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(
        stage in prop::sample::select(HwStage::ALL.to_vec()),
        words in prop::collection::vec(any::<u32>(), 3..180),
        fetch in prop::collection::vec(any::<u32>(), 0..12),
        known in any::<bool>(),
    ) {
        let mut code = if known { assemble(KNOWN).unwrap() } else { Vec::new() };
        code.extend(program(&words));
        check(stage, code, program(&fetch), &words);
    }
}

#[test]
fn groups_that_no_device_has_are_refused() {
    let registers = Registers { num_thread: [u32::MAX, u32::MAX, 2], ..Registers::default() };
    let code = assemble("s_endpgm").unwrap();
    let source = Source {
        stage: HwStage::Cs,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    assert!(lift(&source).unwrap_err().to_string().contains("lanes in a work group"));
}

#[test]
fn what_no_host_has_is_refused_with_instruction_and_address() {
    let registers = Registers { num_thread: [64, 1, 1], rsrc2: 16 << 15, ..Registers::default() };
    let refused = |text: &str| {
        let code = assemble(&format!("s_nop 0\n{text}\ns_endpgm")).unwrap_or_else(|error| panic!("{error}"));
        let source = Source {
            stage: HwStage::Cs,
            code,
            fetch: Vec::new(),
            registers,
            buffers: Vec::new(),
            images: Vec::new(),
            tables: Vec::new(),
        };
        lift(&source).unwrap_err().to_string()
    };
    let cases = [
        ("ds_gws_barrier v0 gds", "word 0x1, `ds_gws_barrier`: global wave sync"),
        ("ds_gws_sema_v gds", "word 0x1, `ds_gws_sema_v`: global wave sync"),
        ("ds_ordered_count v0, v1 gds", "word 0x1, `ds_ordered_count`: the ordered count"),
        (
            "s_cbranch_g_fork s[0:1], s[2:3]",
            "word 0x1, `s_cbranch_g_fork`: a branch by the hardware's stack of masks to an address in registers",
        ),
        (
            "s_cbranch_i_fork s[0:1], 0\nv_readfirstlane_b32 s4, v0\nv_mov_b32 v1, s4\nds_write_b32 v1, v1",
            "word 0x1, `s_cbranch_i_fork`: a branch by the hardware's stack of masks where lanes of a group ask each other",
        ),
    ];
    for (text, wanted) in cases {
        let got = refused(text);
        assert!(got.contains(wanted), "{text}: {got}");
    }
}
