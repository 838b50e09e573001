//! GCN programs of instructions of every row, with any registers and descriptors: what can be lifted compiles.
#![no_main]

use afterimage_fuzz::{Input, compile};
use afterimage_shader::{Language, RuntimeInfo, Shader};
use afterimage_shader_gcn::io::{HwStage, Source};
use afterimage_shader_gcn::{generate, resources};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let [stage, fetched, specs, _]: [u8; 4] = input.value();
    let registers = input.value();
    let spec: [u32; 8] = input.value();
    let words: Vec<u32> = input.rest().as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (fetch, code) = words.split_at(words.len().min(usize::from(fetched % 16)));
    let mut source = Source {
        stage: HwStage::ALL[usize::from(stage) % HwStage::ALL.len()],
        code: generate::program(code),
        fetch: if fetch.is_empty() { Vec::new() } else { generate::program(fetch) },
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let Ok(found) = resources(&source) else { return };
    let word = |n: usize| spec[n % spec.len()].rotate_left((n / spec.len()) as u32);
    // Now and then there are fewer than the program has.
    let count = |wanted: usize| wanted - usize::from(specs % 16 == 0 && wanted > 0);
    source.tables = (0..count(found.tables.len()))
        .map(|n| afterimage_shader_gcn::io::TableSpec {
            floats: word(n),
            uints: word(n + 1),
            sints: word(n + 2),
            samplers: word(n + 3),
        })
        .collect();
    source.buffers = (0..count(found.buffers.len()))
        .map(|n| afterimage_shader_gcn::io::BufferSpec { word1: word(2 * n), word3: word(2 * n + 1) })
        .collect();
    source.images = (0..count(found.images.len()))
        .map(|n| afterimage_shader_gcn::io::ImageSpec {
            kind: 8 + word(n) % 8,
            format: word(n + 1),
            select: word(n + 2) & 0xFFF,
            compare: word(n + 3) % 9,
        })
        .collect();
    let bytes = source.to_bytes();
    assert_eq!(Source::from_bytes(&bytes).as_ref(), Ok(&source), "the bytes read back");
    let shader = Shader::new(Language::Gcn, &bytes).expect("what reads back is taken");
    compile(&shader, &RuntimeInfo::default(), false, false);
});
