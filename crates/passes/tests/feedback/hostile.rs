//! Any valid module lowers to a valid one, or is refused with a reason; and what is captured is what the shader computes.

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{
    BankDecl, BankSource, Builder, FeedbackDecl, InputAt, InputDecl, Interp, Kind, Module, Op, Output, OutputAt,
    OutputDecl, Stage, TextureDecl, Type, generate, parse, verify,
};
use afterimage_passes::feedback::block::{Draw, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{Attribute, FeedbackError, Fetch, Form, Layout, Number, Options, Step, lower};
use afterimage_passes::{FloatRules, optimize};
use proptest::prelude::*;

use crate::rig::{Memory, capture};

/// Captures of every component, in some order, with gaps.
fn capture_all(module: &mut Module, seed: u32) {
    let mut offset = 4 * (seed % 3);
    let outputs = module.outputs.len() as u32;
    for n in 0..outputs {
        let output = Output((n + seed) % outputs);
        let lanes = module.outputs[output.index()].ty.lanes;
        let cut = (seed as u8 >> (2 * n) & 3) % lanes;
        for (component, lanes) in [(0, cut), (cut, lanes - cut)].into_iter().filter(|part| part.1 > 0) {
            let decl = FeedbackDecl { output, component, lanes, buffer: 2, stream: 0, stride: 128, offset };
            module.feedback.push(decl);
            offset += 4 * u32::from(lanes) + 4 * (seed >> n & 1);
        }
    }
}

fn options(form: Form) -> Options {
    let fetch = Fetch::new(Number::Float, 4, 32);
    let attribute = |location: u8| Attribute { location, slot: location, fetch, offset: 0, step: Step::Instance(0) };
    Options { form, attributes: (0..3).map(attribute).collect() }
}

/// Inputs as the vertex buffers have them, constants and textures as the rig has them.
struct Alone;

fn attribute(location: u8, component: usize) -> f32 {
    [0.5, -1.0, 3.0, 0.0][component] + f32::from(location)
}

impl Environment for Alone {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => [0, 1, 2, 3].map(|n| attribute(location, n).to_bits()),
            _ => [0; 4],
        }
    }

    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        [index, 2, 3, 4]
    }

    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        // The rig names textures by their slots in the compute stage.
        [f32::from(texture.slot) + 4.0, 0.5, 0.25, 1.0]
    }
}

/// The captured words of one point.
fn captured(lowered: &Module) -> Vec<u32> {
    let mut memory = Memory::default();
    let mut draw = Draw::new(&TABLE[0], Provoking::First);
    (draw.vertices, draw.primitives, draw.captured) = (1, 1, 1);
    let target = memory.room(32, true);
    draw.targets[2].address = target;
    for location in 0..3u8 {
        let floats = [0, 1, 2, 3].map(|n| attribute(location, n));
        let address = memory.bytes(bytemuck::bytes_of(&floats), 0);
        draw.vertex_buffers[usize::from(location)] = VertexBuffer { address, stride: 16, bytes: 16 };
    }
    let at = memory.block(&draw);
    capture(lowered, Form::Gather, &memory, at, [1; 3], 1);
    memory.words(target)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_shaders(bytes in prop::collection::vec(any::<u8>(), 0..1500), seed: u32, optimized: bool) {
        let mut module = generate(Stage::Vertex, &bytes);
        capture_all(&mut module, seed);
        prop_assert_eq!(verify(&module), Ok(()));
        if optimized {
            optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        lower(&module, &options(Form::Scatter)).unwrap();
        let lowered = lower(&module, &options(Form::Gather)).unwrap();
        let outcome = Interpreter::new(&module).unwrap().step_limit(1 << 24).run(&Alone).unwrap();
        let found = captured(&lowered);
        for capture in &module.feedback {
            for n in 0..capture.lanes {
                let want = outcome.outputs[capture.output.index()][0][usize::from(capture.component + n)];
                let at = capture.offset as usize / 4 + usize::from(n);
                prop_assert_eq!(found[at], want, "{:?}\n{}\n{}", capture, module, lowered);
            }
        }
    }
}

fn attributes() -> impl Strategy<Value = Attribute> {
    use Number::{Float, Sint, Snorm, Sscaled, Uint, Unorm, Uscaled};
    let number = prop::sample::select(vec![Float, Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]);
    let layout = prop_oneof![
        4 => (1..5u8, prop::sample::select(vec![8u8, 16, 32, 64]))
            .prop_map(|(count, bits)| Layout::Components { count, bits }),
        1 => any::<(u8, u8)>().prop_map(|(count, bits)| Layout::Components { count, bits }),
        1 => Just(Layout::Packed1010102),
    ];
    let step = prop_oneof![Just(Step::Vertex), any::<u32>().prop_map(Step::Instance)];
    let rest = (0..4u8, prop_oneof![0..34u8, Just(Attribute::DEFAULT)], any::<u32>(), any::<bool>());
    (number, layout, step, rest).prop_map(|(number, layout, step, (location, slot, offset, bgra))| Attribute {
        location,
        slot,
        fetch: Fetch { number, layout, bgra },
        offset,
        step,
    })
}

proptest! {
    /// `lower` verifies what it makes.
    #[test]
    fn any_attributes(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        attributes in prop::collection::vec(attributes(), 0..8),
    ) {
        let mut module = generate(Stage::Vertex, &bytes);
        capture_all(&mut module, 5);
        for form in [Form::Gather, Form::Scatter] {
            match lower(&module, &Options { form, attributes: attributes.clone() }) {
                Ok(lowered) => prop_assert_eq!(verify(&lowered), Ok(())),
                Err(FeedbackError::MissingAttribute(location) | FeedbackError::BadAttribute { location, .. }) => {
                    prop_assert!(location < 4);
                }
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
    }
}

/// Why a shader with this bank, or nothing there, and this code is refused.
fn refused(bank: &str, body: &str) -> FeedbackError {
    let text = format!(
        "vertex {{
  output out0 \"o\" : i32 location 0
  feedback out0.x buffer 0 stream 0 stride 4 offset 0
  {bank}
  {body}
  return
}}"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).unwrap();
    lower(&module, &Options::default()).unwrap_err()
}

#[test]
fn refusals_name_what_they_are_about() {
    let none = lower(&generate(Stage::Vertex, &[]), &options(Form::Gather)).unwrap_err();
    assert_eq!(none, FeedbackError::NoFeedback);
    let pixel = lower(&generate(Stage::Pixel, &[]), &options(Form::Gather)).unwrap_err();
    assert_eq!(pixel, FeedbackError::Stage("pixel"));
    let mut module = generate(Stage::Vertex, &[]);
    capture_all(&mut module, 0);
    assert_eq!(lower(&module, &Options::default()).unwrap_err(), FeedbackError::MissingAttribute(0));
    let mut bad = options(Form::Gather);
    bad.attributes[1].slot = 32;
    assert!(matches!(lower(&module, &bad), Err(FeedbackError::BadAttribute { location: 1, .. })));
    bad.attributes[1].slot = 0;
    bad.attributes[1].fetch = Fetch::new(Number::Snorm, 2, 32);
    assert!(matches!(lower(&module, &bad), Err(FeedbackError::BadAttribute { location: 1, .. })));
    bad.attributes[1].slot = Attribute::DEFAULT;
    bad.attributes[1].fetch = Fetch::new(Number::Float, 5, 32);
    assert!(matches!(lower(&module, &bad), Err(FeedbackError::BadAttribute { location: 1, .. })));

    let store = "v0: i32x2 = const 0, 0\n  v1: i32 = const 3\n  store_global v0, v1";
    assert_eq!(refused("", store), FeedbackError::SideEffect("store_global"));
    let wave = "v0: i32 = lane_index";
    assert_eq!(refused("", wave), FeedbackError::SideEffect("lane_index"));
    let bank = "bank c0 \"draw\" feedback 0 [40]";
    assert_eq!(refused(bank, ""), FeedbackError::Lowered);
}

/// Blocks as deep as a module has them, which what is put around them makes too deep.
#[test]
fn too_deep_is_an_error() {
    let mut b = Builder::new(Stage::Vertex);
    let out = b.output(OutputDecl { name: "o".into(), ty: Type::I32, at: OutputAt::Location(0), semantic: None });
    let input = b.input_at(InputAt::VertexIndex, || InputDecl {
        name: String::new(),
        ty: Type::I32,
        at: InputAt::VertexIndex,
        interp: Interp::Flat,
        semantic: None,
    });
    let cond = b.cast(input, Kind::Bool);
    for _ in 0..126 {
        b.begin_if(cond);
    }
    b.store_output(out, input);
    b.return_();
    for _ in 0..126 {
        b.end_if();
    }
    let mut module = b.finish().unwrap();
    capture_all(&mut module, 0);
    verify(&module).unwrap();
    assert!(matches!(lower(&module, &Options::default()), Err(FeedbackError::Limit(_))));
}

/// What is there for the hardware alone is gone.
#[test]
fn nothing_else_is_left() {
    let mut module = generate(Stage::Vertex, &[7; 900]);
    module.feedback =
        vec![FeedbackDecl { output: Output(3), component: 1, lanes: 2, buffer: 2, stream: 0, stride: 128, offset: 8 }];
    for form in [Form::Gather, Form::Scatter] {
        let lowered = lower(&module, &options(form)).unwrap();
        assert!(lowered.outputs.is_empty() && lowered.feedback.is_empty());
        let mut stores = 0;
        lowered.for_each_inst(|_, data| {
            assert!(data.op != Op::StoreOutput);
            stores += usize::from(data.op == Op::StoreGlobal);
        });
        assert_eq!(stores, 1);
        let feedback = lowered.banks.iter().filter(|bank| bank.source == BankSource::Feedback);
        assert_eq!(feedback.map(|bank| (bank.id, bank.size)).collect::<Vec<_>>(), [(0, 40)]);
    }
}
