//! Attributes that the program interpolates by itself, and pixels in order.

use afterimage_abi::corners::{Corner, USAGE};
use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Interp, Module, Op, OutputAt, TextureDecl};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader_gcn::io::{HwStage, Registers, Source};
use afterimage_shader_gcn::{assemble, lift};

const ABGR_32: u32 = 9;
const SMOOTH: u32 = 1 << 1;
const CENTROID: u32 = 1 << 2;
const PULL_MODEL: u32 = 1 << 3;
const LINEAR: u32 = 1 << 5;
/// `FLAT_SHADE`, and with the highest bit of `OFFSET` the parameters as they are.
const FLAT: u32 = 1 << 10;
const RAW: u32 = FLAT | 1 << 5;

fn module(registers: Registers, text: &str) -> Module {
    let code = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let source = Source {
        stage: HwStage::Ps,
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

fn pixel(ena: u32) -> Registers {
    Registers {
        ps_input_ena: ena,
        ps_input_addr: ena,
        ps_input_cntl: std::array::from_fn(|n| n as u32),
        col_format: ABGR_32,
        ..Registers::default()
    }
}

/// What vertex `vertex` has in component `component` of a location.
fn at_vertex(location: u8, vertex: u8, component: u8) -> f32 {
    let [location, vertex, component] = [location, vertex, component].map(f32::from);
    100.0 * location + 10.0 * vertex * vertex + component + 1.0
}

/// The weights of the second and third vertex, with and without perspective.
const WEIGHTS: [f32; 4] = [0.25, 0.5, 0.125, 0.75];
/// 1 / w.
const OVER_W: f32 = 4.0;

struct Triangle;

impl Environment for Triangle {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        let bits = |value: [f32; 4]| value.map(f32::to_bits);
        match (decl.at, decl.semantic) {
            (InputAt::FragCoord, _) => bits([8.5, 8.5, 0.5, OVER_W]),
            (InputAt::Location(_), Some(semantic)) => {
                assert_eq!(semantic.usage, USAGE);
                match Corner::of_index(semantic.index) {
                    Corner::Vertex { location, vertex } => {
                        assert_eq!(decl.interp, Interp::Flat);
                        bits([0, 1, 2, 3].map(|component| at_vertex(location, vertex, component)))
                    }
                    Corner::Weights => bits(WEIGHTS),
                }
            }
            (InputAt::Location(location), None) => {
                let first = if decl.interp == Interp::Linear { 2 } else { 0 };
                bits([0, 1, 2, 3].map(|component| expected(location, component, first)))
            }
            _ => [0; 4],
        }
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

/// What interpolating by the two weights from `first` on gives.
fn expected(location: u8, component: u8, first: usize) -> f32 {
    let [a, b, c] = [0, 1, 2].map(|vertex| at_vertex(location, vertex, component));
    a + WEIGHTS[first] * (b - a) + WEIGHTS[first + 1] * (c - a)
}

fn color(module: &Module) -> [f32; 4] {
    let outcome = Interpreter::new(module).unwrap().run(&Triangle).unwrap();
    let color = module.outputs.iter().position(|output| output.at == OutputAt::Location(0)).unwrap();
    outcome.outputs[color][0].map(f32::from_bits)
}

/// Whether a module reads something of vertices.
fn reads_corners(module: &Module) -> bool {
    let mut found = false;
    module.for_each_inst(|_, data| {
        if let afterimage_ir::Imm::Input(input) = data.imm {
            found |= module.inputs[input.index()].semantic.is_some();
        }
    });
    found
}

fn count(module: &Module, op: Op) -> usize {
    let mut count = 0;
    module.for_each_inst(|_, data| count += usize::from(data.op == op));
    count
}

#[test]
fn parameters_are_differences_between_vertices() {
    let code = "v_interp_mov_f32 v2, p10, attr1.x
        v_interp_mov_f32 v3, p20, attr1.y
        v_interp_mov_f32 v4, p0, attr1.z
        exp mrt0 v2, v3, v4, v4 done vm
        s_endpgm";
    let at = |vertex, component| at_vertex(1, vertex, component);
    let differences = [at(1, 0) - at(0, 0), at(2, 1) - at(0, 1)];
    let smooth = module(pixel(SMOOTH), code);
    assert_eq!(color(&smooth)[..2], differences);
    let mut registers = pixel(SMOOTH);
    registers.ps_input_cntl[1] |= RAW;
    assert_eq!(color(&module(registers, code))[..2], [at(1, 0), at(2, 1)]);
    // A constant is the same everywhere.
    registers.ps_input_cntl[1] = 1 << 5 | 3 << 8;
    assert_eq!(color(&module(registers, code)), [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn weights_are_there_for_who_reads_them() {
    let code = "exp mrt0 v0, v1, v2, v3 done vm\ns_endpgm";
    assert_eq!(color(&module(pixel(SMOOTH | LINEAR), code)), WEIGHTS);
    let code = "exp mrt0 v0, v1, v2, v2 done vm\ns_endpgm";
    let [i, j, ..] = WEIGHTS;
    assert_eq!(color(&module(pixel(PULL_MODEL), code)), [i * OVER_W, j * OVER_W, OVER_W, OVER_W]);
}

#[test]
fn a_program_interpolates_where_it_wants() {
    // At the place itself, and with half of each weight.
    let code = "v_rcp_f32 v3, v2
        v_mul_f32 v4, v0, v3
        v_mul_f32 v5, v1, v3
        v_mul_f32 v6, 0.5, v4
        v_mul_f32 v7, 0.5, v5
        v_interp_p1_f32 v8, v4, attr2.x
        v_interp_p2_f32 v8, v5, attr2.x
        v_interp_p1_f32 v9, v6, attr2.x
        v_interp_p2_f32 v9, v7, attr2.x
        exp mrt0 v8, v9, v9, v9 done vm
        s_endpgm";
    let (first, all) = (at_vertex(2, 0, 0), expected(2, 0, 0));
    let near = |got: [f32; 4]| {
        let wanted = [all, first + (all - first) / 2.0];
        let differ = got.iter().zip(wanted).any(|(got, wanted)| (got - wanted).abs() > 1e-3);
        assert!(!differ, "{got:?} instead of {wanted:?}");
    };
    near(color(&module(pixel(PULL_MODEL), code)));
    // The same with the weights of the centre; only one way of interpolating is asked for, which is not what is done.
    let code = code.replace("v_rcp_f32 v3, v2", "v_mov_b32 v3, 1.0");
    near(color(&module(pixel(SMOOTH), &code)));
}

#[test]
fn what_the_host_interpolates_needs_no_vertices() {
    // Weights are moved, chosen between the centre and the centroid, and their registers used for something else.
    let code = "v_mov_b32 v8, v0
        v_cndmask_b32 v9, v1, v3, vcc
        v_interp_p1_f32 v4, v8, attr0.x
        v_interp_p2_f32 v4, v9, attr0.x
        v_mov_b32 v1, 1.0
        v_cmp_lt_f32 vcc, v4, v1
        s_cbranch_vccz end
        v_mul_f32 v1, v1, v4
        end:
        v_mul_f32 v0, v1, v1
        exp mrt0 v4, v0, v0, v0 done vm
        s_endpgm";
    let module = module(pixel(SMOOTH | CENTROID), code);
    assert!(!reads_corners(&module), "{module}");
    assert_eq!(color(&module)[0], expected(0, 0, 0));
}

#[test]
fn a_component_is_interpolated_in_two_ways() {
    let code = "v_interp_p1_f32 v4, v0, attr1.x
        v_interp_p2_f32 v4, v1, attr1.x
        v_interp_p1_f32 v5, v2, attr1.x
        v_interp_p2_f32 v5, v3, attr1.x
        v_interp_mov_f32 v6, p0, attr1.x
        exp mrt0 v4, v5, v6, v6 done vm
        s_endpgm";
    let first = at_vertex(1, 0, 0);
    let module = module(pixel(SMOOTH | LINEAR), code);
    assert_eq!(color(&module), [expected(1, 0, 0), expected(1, 0, 2), first, first]);
}

/// A pixel shader as Mesa's compiler writes it for one that has an ordered section.
const ORDERED: &str = "s_bitcmp1_b32 s2, 31
    s_cbranch_scc0 begun
    s_bfe_u32 s3, s2, 0x1001c
    s_add_i32 s3, s3, 1
    s_setreg_b32 hwreg(HW_REG_MODE, 24, 2), s3
    s_bfe_u32 s3, s2, 0xa0010
    s_nand_b32 s4, s2, 0x3ff
    s_add_i32 s3, s3, s4
    wait:
    s_add_i32 s5, s4, src_pops_exiting_wave_id
    s_cmp_lt_u32 s3, s5
    s_cbranch_scc1 begun
    s_sleep 3
    s_branch wait
    begun:
    v_add_f32 v1, v0, v0
    s_sendmsg 7
    exp mrt0 v1, v1, v1, v1 done vm
    s_endpgm";

#[test]
fn pixels_are_in_order_between_begin_and_end() {
    // The register of collisions comes behind one user register and the base of the parameters.
    let registers = Registers { rsrc2: 1 << 1 | 1 << 25, ..pixel(1 << 8) };
    let module = module(registers, ORDERED);
    let text = module.to_string();
    assert_eq!([Op::BeginInterlock, Op::EndInterlock].map(|op| count(&module, op)), [1, 1], "{text}");
    assert_eq!([Op::Loop, Op::If].map(|op| count(&module, op)), [0, 0], "{text}");
    let places = ["begin_interlock", "fadd", "end_interlock"].map(|op| text.find(op).unwrap());
    assert!(places.is_sorted(), "{text}");
    // Without the message the end of the program ends it.
    let code = ORDERED.replace("s_sendmsg 7", "s_nop 0");
    assert_eq!(count(&self::module(registers, &code), Op::EndInterlock), 1);
}
