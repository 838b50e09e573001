//! What pixels and vertices begin with and end with.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Interp, Module, OutputAt, TextureDecl, Type};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader_gcn::io::{HwStage, Registers, Source, position};
use afterimage_shader_gcn::{assemble, lift};

fn module(stage: HwStage, registers: Registers, text: &str) -> Module {
    let code = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let source = Source {
        stage,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let mut module = lift(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    optimize(&mut module, &Options { float_rules: FloatRules::Strict });
    module
}

/// Four lanes side by side.
struct Quad;

impl Environment for Quad {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let n = lane as f32;
        match decl.at {
            InputAt::FragCoord => [10.5 + n, 20.5, 0.25, 0.5].map(f32::to_bits),
            InputAt::FrontFacing => [(lane % 2) as u32, 0, 0, 0],
            InputAt::Location(at) => [n + 100.0 * f32::from(at), 1.0, 2.0, 3.0].map(f32::to_bits),
            InputAt::PointCoord => [0.25, 0.75, 0.0, 0.0].map(f32::to_bits),
            InputAt::SampleMask => [5, 0, 0, 0],
            InputAt::VertexIndex => [lane as u32, 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn constant(&self, _: &BankDecl, register: u32) -> [u32; 4] {
        if register == 0 {
            return [0.0, 0.0, 0.0, 8.0].map(f32::to_bits);
        }
        // The screen: 640 by 480 pixels.
        [2.0 / 640.0, 2.0 / 480.0, 0.0, 0.0].map(f32::to_bits)
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// An output in each lane, and the lanes that were thrown away.
fn run(module: &Module, at: OutputAt) -> ([[u32; 4]; 4], [bool; 4]) {
    let outcome = Interpreter::new(module).unwrap().run(&Quad).unwrap();
    let index =
        module.outputs.iter().position(|output| output.at == at).unwrap_or_else(|| panic!("no {at:?}\n{module}"));
    (outcome.outputs[index], outcome.demoted)
}

fn floats(bits: [u32; 4]) -> [f32; 4] {
    bits.map(f32::from_bits)
}

/// A pixel shader with the given inputs enabled, and attribute n at location n.
fn pixel(ena: u32, col_format: u32) -> Registers {
    Registers {
        rsrc1: 1 << 21,
        ps_input_ena: ena,
        ps_input_addr: ena,
        ps_input_cntl: std::array::from_fn(|n| n as u32),
        baryc_cntl: 1 << 24,
        col_format,
        ..Registers::default()
    }
}

const ABGR_32: u32 = 9;
const FP16: u32 = 4;
const UINT16: u32 = 7;

#[test]
fn attributes_are_interpolated_as_their_coordinates_say() {
    // Of perspective centre and linear centre, the second is in v2 and v3.
    let code = "s_mov_b32 m0, s0
        v_interp_p1_f32 v4, v0, attr1.x
        v_interp_p2_f32 v4, v1, attr1.x
        v_interp_p1_f32 v5, v2, attr2.y
        v_interp_p2_f32 v5, v3, attr2.y
        v_interp_mov_f32 v6, p0, attr3.z
        exp mrt0 v4, v5, v6, v6 done vm
        s_endpgm";
    let module = module(HwStage::Ps, pixel(1 << 1 | 1 << 5, ABGR_32), code);
    let way = |location| module.inputs.iter().find(|input| input.at == InputAt::Location(location)).unwrap().interp;
    assert_eq!([way(1), way(2), way(3)], [Interp::Smooth, Interp::Linear, Interp::Flat]);
    let (colors, demoted) = run(&module, OutputAt::Location(0));
    assert_eq!(floats(colors[2]), [102.0, 1.0, 2.0, 2.0]);
    assert_eq!(demoted, [false; 4]);
}

#[test]
fn attributes_come_from_registers_of_the_interface() {
    let code = "v_interp_p1_f32 v4, v0, attr0.x
        v_interp_p2_f32 v4, v1, attr0.x
        v_interp_p1_f32 v5, v0, attr1.w
        v_interp_p2_f32 v5, v1, attr1.w
        v_interp_p1_f32 v6, v0, attr2.y
        v_interp_p2_f32 v6, v1, attr2.y
        exp mrt0 v4, v5, v6, v6 done vm
        s_endpgm";
    let mut registers = pixel(2, ABGR_32);
    // Parameter 5; the default (0, 0, 0, 1); the place in the point.
    registers.ps_input_cntl[..3].copy_from_slice(&[5, 1 << 5 | 1 << 8, 1 << 17]);
    let (colors, _) = run(&module(HwStage::Ps, registers, code), OutputAt::Location(0));
    assert_eq!(floats(colors[1]), [501.0, 1.0, 0.75, 0.75]);
}

#[test]
fn pixels_begin_with_what_is_enabled() {
    // Position x, y, z, w, front, coverage, fixed position.
    let ena = 0xf << 8 | 1 << 12 | 1 << 14 | 1 << 15;
    let code = |registers: &str| format!("exp mrt0 {registers} done vm\ns_endpgm");
    let run =
        |registers: &str| run(&module(HwStage::Ps, pixel(ena, ABGR_32), &code(registers)), OutputAt::Location(0)).0;
    assert_eq!(floats(run("v0, v1, v2, v3")[3]), [13.5, 20.5, 0.25, 2.0]);
    let others = run("v4, v5, v6, v6");
    assert_eq!(others[0][..3], [0, 5, 10 | 20 << 16]);
    assert_eq!(others[1][..3], [1f32.to_bits(), 5, 11 | 20 << 16]);
}

#[test]
fn colours_are_unpacked_by_their_format() {
    let color = |format: u32, targets: u32, export: &str| {
        let code = format!("v_mov_b32_e32 v0, 0x40003c00\nv_mov_b32_e32 v1, 0x44004200\n{export}\ns_endpgm");
        let registers = Registers { targets, ..pixel(0, format) };
        let module = module(HwStage::Ps, registers, &code);
        (run(&module, OutputAt::Location(0)).0[0], module.outputs[0].ty)
    };
    let (halves, ty) = color(FP16, 0, "exp mrt0 v0, v0, v1, v1 done compr vm");
    assert_eq!((floats(halves), ty), ([1.0, 2.0, 3.0, 4.0], Type::F32X4));
    let (words, ty) = color(UINT16, 1, "exp mrt0 v0, v0, v1, v1 done compr vm");
    assert_eq!((words, ty), ([0x3c00, 0x4000, 0x4200, 0x4400], Type::I32X4));
    let (words, ty) = color(ABGR_32, 2, "exp mrt0 v0, v1, off, off done vm");
    assert_eq!((words, ty), ([0x4000_3c00, 0x4400_4200, 0, 0], Type::I32X4));
}

#[test]
fn pixels_that_are_not_exported_are_thrown_away() {
    // Lanes 1 and 3 face the viewer and go.
    let code = "v_cmpx_eq_u32_e32 vcc, 0, v0
        s_cbranch_execz end
        v_mov_b32_e32 v1, 1.0
        exp mrt0 v1, v1, v1, v1 done vm
        s_endpgm
        end:
        exp null off, off, off, off done vm
        s_endpgm";
    let module = module(HwStage::Ps, pixel(1 << 12, ABGR_32), code);
    let (colors, demoted) = run(&module, OutputAt::Location(0));
    assert_eq!(demoted, [false, true, false, true]);
    assert_eq!(floats(colors[0]), [1.0; 4]);
}

#[test]
fn a_pixel_that_is_always_exported_throws_nothing_away() {
    let code = "v_mov_b32_e32 v1, 1.0\nexp mrt0 v1, v1, v1, v1 done vm\ns_endpgm";
    let module = module(HwStage::Ps, pixel(0, ABGR_32), code);
    assert!(!module.to_string().contains("demote"), "{module}");
}

#[test]
fn depth_stencil_and_samples_are_exported() {
    let code =
        "v_mov_b32_e32 v0, 0.5\nv_mov_b32_e32 v1, 7\nv_mov_b32_e32 v2, 3\nexp mrtz v0, v1, v2, off done vm\ns_endpgm";
    let registers = Registers { z_format: 9, db_shader_control: 0x103, ..pixel(0, 0) };
    let module = module(HwStage::Ps, registers, code);
    assert_eq!(floats(run(&module, OutputAt::FragDepth).0[0])[0], 0.5);
    assert_eq!(run(&module, OutputAt::StencilRef).0[0][0], 7);
    assert_eq!(run(&module, OutputAt::SampleMask).0[0][0], 3);
}

#[test]
fn positions_become_clip_space() {
    let code = "v_mov_b32_e32 v1, 4.0\nv_mov_b32_e32 v2, 1.0\nv_mov_b32_e32 v3, -2.0\nv_mov_b32_e32 v4, 2.0
        exp pos0 v1, v2, v3, v4 done\ns_endpgm";
    let place = |flags: u32| {
        let registers = Registers { position: flags, ..Registers::default() };
        floats(run(&module(HwStage::Vs, registers, code), OutputAt::Position).0[0])
    };
    assert_eq!(place(0), [4.0, 1.0, -2.0, 2.0]);
    assert_eq!(place(position::Y_DOWN), [4.0, -1.0, -2.0, 2.0]);
    assert_eq!(place(position::DEPTH_FROM_MINUS_W), [4.0, 1.0, 0.0, 2.0]);
    let [x, y, z, w] = place(position::IN_PIXELS);
    assert_eq!([z, w], [-2.0, 2.0]);
    assert!((x - (4.0 / 320.0 - 1.0) * 2.0).abs() < 1e-6 && (y - (1.0 - 1.0 / 240.0) * 2.0).abs() < 1e-6);
}

#[test]
fn points_have_the_size_of_the_draw_unless_they_export_one() {
    let size = |vs_out_cntl: u32, text: &str| {
        let registers = Registers { position: position::POINTS, vs_out_cntl, ..Registers::default() };
        f32::from_bits(run(&module(HwStage::Vs, registers, text), OutputAt::PointSize).0[0][0])
    };
    assert_eq!(size(0, "exp pos0 v0, v0, v0, v0 done\ns_endpgm"), 8.0);
    let own = "v_mov_b32 v1, 2.0\nexp pos0 v0, v0, v0, v0\nexp pos1 v1, v0, v0, v0 done\ns_endpgm";
    assert_eq!(size(1 << 16 | 1 << 21, own), 2.0);
}

#[test]
fn vectors_behind_the_position_are_those_that_are_enabled() {
    let code = "v_mov_b32_e32 v1, 4.0\nv_mov_b32_e32 v2, 1.0\nv_mov_b32_e32 v3, 3\nv_mov_b32_e32 v4, 2
        exp pos0 v1, v2, v1, v2
        exp pos1 v1, v2, v3, v4
        exp pos2 v1, v2, v1, v2 done
        exp param2 v1, v2, off, off
        s_endpgm";
    // Point size, layer, viewport; then clip distances 4 and 5 and cull distance 6.
    let control = 1 << 16 | 1 << 18 | 1 << 19 | 1 << 21 | 1 << 23 | 3 << 4 | 1 << 14;
    let module = module(HwStage::Vs, Registers { vs_out_cntl: control, ..Registers::default() }, code);
    let at = |at| run(&module, at).0[0];
    assert_eq!(floats(at(OutputAt::PointSize))[0], 4.0);
    assert_eq!(at(OutputAt::Layer)[0], 3);
    assert_eq!(at(OutputAt::ViewportIndex)[0], 2);
    assert_eq!(floats(at(OutputAt::ClipDistance(4)))[..2], [4.0, 1.0]);
    assert_eq!(floats(at(OutputAt::CullDistance(4)))[..3], [0.0, 0.0, 4.0]);
    assert_eq!(floats(at(OutputAt::Location(2))), [4.0, 1.0, 0.0, 0.0]);
}
