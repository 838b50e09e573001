//! Storage images where none is bound: nothing is read of them but zeros, what is stored is lost, and they are 1 wide, as in the
//! interpreter, whatever ran before. With null descriptors and without.

use crate::common::code::{Code, bind_storage};
use crate::common::*;
use afterimage_ir::{AtomicOp, Component, Dim, ImageDecl, ImageFormat, Kind, OutputAt, Stage as In, Type};
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, Format, FormatFeatures, ObjectId};
use afterimage_vulkan::Without;

/// What a shader does to the first texel, in this order.
#[derive(Clone, Copy, Debug, Default)]
struct Does {
    /// Its components, as far as the format is known to have them, go into words 0 to 3.
    load: bool,
    /// The size goes into words 4 to 6.
    size: bool,
    /// What an addition finds goes into words 7 and 8.
    add: bool,
    store: bool,
}

const LOOK: Does = Does { load: true, size: true, add: false, store: false };
const STORE: Does = Does { load: false, size: false, add: false, store: true };
const LOOK_AND_STORE: Does = Does { store: true, ..LOOK };
const LOOK_AND_ADD: Does = Does { add: true, ..LOOK };

/// Words that shaders leave.
const WORDS: usize = 9;

/// Components that texels have; all where nothing is known of the format.
fn components(decl: &ImageDecl) -> u8 {
    match decl.format {
        ImageFormat::Any => 4,
        ImageFormat::R32 => 1,
        ImageFormat::R64 => 2,
    }
}

fn shader(guest: &mut Guest, stage: In, decl: ImageDecl, does: Does) -> ObjectId {
    let mut code = if stage == In::Compute { Code::compute(1) } else { Code::new(stage) };
    let image = code.b.image(decl);
    let place = code.b.const_bits(Type::new(Kind::Int, decl.dim.texel_coords()), [0; 4]);
    let zero = code.b.i32(0);
    let sample = decl.dim.is_multisampled().then_some(zero);
    let put = |code: &mut Code, first: i32, value| {
        let at = code.b.i32(first);
        let at = code.word(0, at);
        let value = code.b.cast(value, Kind::Int);
        code.b.store_global(at, value);
    };
    if does.load {
        let texel = code.b.image_load(image, place, sample);
        let texel = code.b.resize(texel, components(&decl));
        put(&mut code, 0, texel);
    }
    if does.size {
        let size = code.b.image_size(image);
        put(&mut code, 4, size);
    }
    if does.add {
        let by = code.b.const_bits(decl.atomic().unwrap(), [7, 9, 0, 0]);
        let old = code.b.image_atomic(AtomicOp::Add, image, place, sample, &[by]);
        put(&mut code, 7, old);
    }
    if does.store {
        let texel = code.b.const_bits(Type::new(decl.component.kind(), 4), [0x3f80_0001; 4]);
        code.b.image_store(image, place, sample, texel);
    }
    if stage == In::Pixel {
        let color = code.b.f32x4(GREEN);
        code.output(OutputAt::Location(0), color);
    }
    code.create(guest)
}

/// With null descriptors, where the device has them, and without.
fn guests() -> [Guest; 2] {
    [Guest::new(), Guest::with(Without { null_descriptor: true, ..Without::default() })]
}

/// Every shape and kind of image that a guest's device has.
fn images(guest: &Guest) -> Vec<ImageDecl> {
    let info = guest.renderer.device_info();
    let decl = |dim, component, format| ImageDecl { slot: 3, dim, component, format };
    let mut dims = vec![Dim::D2, Dim::D2Array, Dim::D3, Dim::Cube];
    if info.features & DeviceFeatures::CUBE_ARRAYS != 0 {
        dims.push(Dim::CubeArray);
    }
    if info.storage_sample_counts > 1 {
        dims.extend([Dim::D2Ms, Dim::D2MsArray]);
    }
    let mut all = Vec::new();
    for dim in dims {
        all.extend(Component::ALL.iter().map(|&component| decl(dim, component, ImageFormat::Any)));
        if HAS.image_atomics && !dim.is_multisampled() {
            all.extend([Component::Uint, Component::Sint].map(|component| decl(dim, component, ImageFormat::R32)));
        }
        let long = info.features(Format::R64_UINT) & FormatFeatures::STORAGE_ATOMIC != 0;
        if long && !dim.is_multisampled() {
            all.push(decl(dim, Component::Uint, ImageFormat::R64));
        }
    }
    all
}

/// What a shader leaves in words that were 9: what the interpreter's `Environment` says of images that it knows nothing of.
fn expected(decl: &ImageDecl, does: Does) -> [u32; WORDS] {
    let mut words = [9; WORDS];
    if does.load {
        words[..usize::from(components(decl))].fill(0);
    }
    if does.size {
        words[4..][..usize::from(decl.dim.size_components())].fill(1);
    }
    if does.add {
        words[7..][..usize::from(decl.atomic().unwrap().lanes)].fill(0);
    }
    words
}

/// What shaders do one after the other, so that each may find what those before it left.
fn turns(decl: &ImageDecl) -> Vec<Does> {
    let mut turns = vec![STORE, LOOK, LOOK_AND_STORE, LOOK, LOOK_AND_STORE];
    if decl.atomic().is_some() {
        turns.extend([LOOK_AND_ADD, LOOK, LOOK_AND_STORE, LOOK_AND_ADD]);
    }
    turns
}

#[test]
fn dispatches_find_nothing_where_no_image_is_bound() {
    if !HAS.images {
        return;
    }
    for mut guest in guests() {
        for decl in images(&guest) {
            let words = guest.words(&[9; WORDS]);
            bind_storage(&mut guest, Stage::Compute, &[words]);
            for does in turns(&decl) {
                let shader = shader(&mut guest, In::Compute, decl, does);
                for time in 0..2 {
                    let data = guest.upload(bytemuck::bytes_of(&[9u32; WORDS]));
                    guest.encoder.push(&UpdateBuffer { id: words, flags: 0, offset: 0, data });
                    guest.dispatch(shader, [1, 1, 1]);
                    let found = guest.read_words(words, 0, WORDS);
                    assert_eq!(found, expected(&decl, does), "{decl:?}, {does:?}, time {time}");
                }
            }
        }
        guest.finish();
    }
}

#[test]
fn draws_find_nothing_where_no_image_is_bound() {
    for mut guest in guests() {
        if guest.renderer.device_info().features & DeviceFeatures::PIXEL_STORES == 0 {
            return;
        }
        let mut code = Code::new(In::Vertex);
        let position = code.everywhere();
        code.output(OutputAt::Position, position);
        let vertex = code.create(&mut guest);
        // One pixel: those of one draw may find what others of it have stored.
        guest.target(Format::R8G8B8A8_UNORM, 1, 1);
        for decl in images(&guest) {
            // All in one pass, each with words of its own.
            let turns: Vec<_> = turns(&decl).into_iter().map(|does| (does, guest.words(&[9; WORDS]))).collect();
            for (does, words) in &turns {
                let pixel = shader(&mut guest, In::Pixel, decl, *does);
                bind_storage(&mut guest, Stage::Pixel, &[*words]);
                guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
                guest.draw(Topology::TriangleList, 0, 3);
            }
            for (turn, (does, words)) in turns.into_iter().enumerate() {
                let found = guest.read_words(words, 0, WORDS);
                assert_eq!(found, expected(&decl, does), "{decl:?}, {does:?}, turn {turn}");
            }
        }
        assert_eq!(guest.pixels().count(rgba(GREEN)), 1);
        guest.finish();
    }
}
