//! Damaged shaders, and options that do not fit: an error, or a shader, and never a panic.

use afterimage_feedback::{AttributeSource, BlockSource, Error, FeedbackPlace, Form, Lowering};

const WAVES: &[u8] = include_bytes!("shaders/waves.vert.spv");
const PLAIN: &[u8] = include_bytes!("shaders/plain.vert.spv");
const POINTER: &[u8] = include_bytes!("shaders/pointer.vert.spv");
const MIXED: &[u8] = include_bytes!("shaders/mixed.vert.spv");
const FINS: &[u8] = include_bytes!("shaders/fins.geom.spv");

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Each word damaged in some ways, in turn.
fn damaged(words: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    (5..words.len()).flat_map(move |at| {
        let n = (at as u32).wrapping_mul(0x9e37_79b9);
        [words[at] ^ 1 << (n >> 27), words[at].wrapping_add(1), n % 97].map(move |word| {
            let mut words = words.to_vec();
            words[at] = word;
            words
        })
    })
}

/// What an error says must be something.
fn look(result: Result<Vec<u32>, Error>) -> bool {
    match result {
        Ok(words) => words[0] == 0x0723_0203,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn damaged_vertex_shaders() {
    let mut lowered = 0;
    for (n, words) in damaged(&words(WAVES)).enumerate() {
        let form = if n % 8 == 0 { Form::Scatter } else { Form::Gather };
        let result = Lowering::new(&words).and_then(|lowering| lowering.form(form).lower());
        lowered += u32::from(look(result.map(|lowered| lowered.words)));
    }
    // Much of it still is a shader.
    assert!(lowered > 100, "{lowered}");
}

#[test]
fn damaged_geometry_shaders() {
    let vertex = words(PLAIN);
    let mut lowered = 0;
    for words in damaged(&words(FINS)) {
        let lowering = Lowering::new(&vertex).expect("SPIR-V");
        let result = lowering.geometry(&words).and_then(|lowering| lowering.lower());
        lowered += u32::from(look(result.map(|lowered| lowered.words)));
    }
    assert!(lowered > 20, "{lowered}");
}

/// Constants behind an address are our own ABI's, or look like it: where the address is then is said, and what else there is is refused.
#[test]
fn constants_behind_addresses() {
    let pointer = || Lowering::new(&words(POINTER)).expect("SPIR-V").capture("position=0".parse().expect("feedback"));
    for (form, block, constants) in [(Form::Gather, 0, 8), (Form::Scatter, 8, 0)] {
        let uses = pointer().form(form).lower().unwrap_or_else(|error| panic!("{error}")).uses;
        let sources: Vec<_> = uses.blocks.iter().map(|block| block.source).collect();
        assert_eq!((uses.push, sources), (block, vec![BlockSource::Address(constants)]), "{form:?}");
        assert!(pointer().form(form).push(block).lower().is_ok());
    }
    let refused = |lowering: Lowering, why: &str| {
        let error = lowering.lower().map(|lowered| lowered.uses).expect_err(why).to_string();
        assert!(error.contains("behind an address") && error.contains(why), "{error}");
    };
    refused(pointer().push(64), "another place");
    let mixed = Lowering::new(&words(MIXED)).expect("SPIR-V");
    refused(mixed.capture("position=0".parse().expect("feedback")), "uniform blocks");
}

#[test]
fn options_that_do_not_fit() {
    let numbers = [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 44, 48, 255, 2044, 2048, 4096, 1 << 16, u32::MAX - 3, u32::MAX];
    let plain = || Lowering::new(&words(PLAIN)).expect("SPIR-V");
    let lower = |lowering: Lowering| look(lowering.lower().map(|lowered| lowered.words));
    let capture = |text: &str| text.parse::<FeedbackPlace>().expect(text);
    for n in numbers {
        let captured = || plain().capture(capture("position=0"));
        lower(plain().capture(FeedbackPlace { offset: Some(n), ..capture("position=0") }));
        lower(plain().capture(FeedbackPlace { buffer: n as u8, ..capture("0.y=0") }));
        lower(plain().capture(FeedbackPlace { components: Some((n as u8, n as u8)), ..capture("1=0") }));
        lower(captured().stride(0, n));
        lower(captured().stride(n as u8, 16));
        lower(captured().push(n));
        let attribute: AttributeSource = "0=R8G8B8A8_SNORM".parse().expect("an attribute");
        lower(captured().attribute(AttributeSource { offset: n, ..attribute }));
        lower(captured().attribute(AttributeSource { slot: n as u8, ..attribute }));
        lower(captured().attribute(AttributeSource { location: n as u8, ..attribute }));
        lower(captured().attribute(AttributeSource { divisor: Some(n), ..attribute }));
    }
    // Every format feeds every kind of input, or is refused.
    for format in afterimage_feedback::formats::all() {
        for bytes in [WAVES, PLAIN] {
            for location in [0, 4] {
                let attribute = AttributeSource { location, format, slot: 0, offset: 0, divisor: None };
                let lowering = Lowering::new(&words(bytes)).expect("SPIR-V");
                lower(lowering.capture(capture("position=0")).attribute(attribute));
            }
        }
    }
    assert!(Lowering::new(&[]).is_err() && Lowering::new(&[0x0723_0203; 4]).is_err());
}
