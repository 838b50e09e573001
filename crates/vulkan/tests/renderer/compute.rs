//! Dispatches: buffers by address, shared memory, order, storage images, textures.

use crate::common::code::{Code, bind_storage, bytes, words};
use crate::common::*;
use afterimage_ir::{AtomicOp, Component, Dim, ImageDecl, ImageFormat, InputAt, TextureDecl, Type};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures, ObjectId, ObjectKind, Reply};
use afterimage_vulkan::Without;
use bytemuck::Zeroable;

/// With every ability and without those that there is another path for.
fn guests() -> [Guest; 2] {
    let without = Without { bindless: true, dynamic_state3: true, device_slots: true, ..Without::default() };
    [Guest::new(), Guest::with(without)]
}

/// `buffer 0[i] += buffer 1[i]`, in groups of 16.
pub(crate) fn add(guest: &mut Guest) -> ObjectId {
    let mut code = Code::compute(16);
    let lane = code.lane(16);
    let (sum, other) = (code.word(0, lane), code.word(1, lane));
    let (a, b) = (code.b.load_global(sum, 1), code.b.load_global(other, 1));
    let c = code.b.iadd(a, b);
    code.b.store_global(sum, c);
    code.create(guest)
}

#[test]
fn buffers_are_read_and_written_by_address() {
    for mut guest in guests() {
        let numbers: Vec<u32> = (0..64).collect();
        let squares: Vec<u32> = (0..64).map(|n| n * n).collect();
        let (sums, others) = (guest.words(&numbers), guest.words(&squares));
        let shader = add(&mut guest);
        bind_storage(&mut guest, Stage::Compute, &[sums, others]);
        guest.dispatch(shader, [4, 1, 1]);
        let found = guest.read_words(sums, 0, 64);
        assert!((0..64).all(|n| found[n as usize] == n + n * n), "{found:?}");
        // Nothing at all where a number of groups is zero.
        guest.dispatch(shader, [4, 0, 1]);
        assert_eq!(guest.read_words(sums, 8, 2), [2 + 4, 3 + 9]);
        guest.finish();
    }
}

#[test]
fn a_binding_is_a_range_and_a_word() {
    let mut guest = Guest::new();
    // What the registers of the first three bindings say, but for the addresses.
    let mut code = Code::compute(1);
    for n in 0..3 {
        let register = code.register(1, n);
        let (low, high) = (code.b.extract(register, 0), code.b.extract(register, 1));
        let any = code.b.ior(low, high);
        let zero = code.b.i32(0);
        let (there, one) = (code.b.ine(any, zero), code.b.i32(1));
        let there = code.b.select(there, one, zero);
        let (size, word) = (code.b.extract(register, 2), code.b.extract(register, 3));
        let at = code.b.i32(n as i32 * 3);
        let at = code.word(0, at);
        let all = code.b.construct(&[there, size, word]);
        code.b.store_global(at, all);
    }
    let shader = code.create(&mut guest);
    let (out, other) = (guest.words(&[7; 16]), guest.words(&[0; 32]));
    let bindings = [
        StorageBinding { buffer: out, word: 5, ..StorageBinding::default() },
        StorageBinding { buffer: other, word: 6, offset: 16, size: 20 },
        StorageBinding { word: 7, ..StorageBinding::default() },
    ];
    guest.encoder.push_tail(&SetStorage { stage: Stage::Compute as u32, first: 0, count: 3 }, &bindings);
    guest.dispatch(shader, [1, 1, 1]);
    assert_eq!(guest.read_words(out, 0, 10), [1, 64, 5, 1, 20, 6, 0, 0, 7, 7]);
    // To the end of the buffer.
    let rest = StorageBinding { buffer: other, word: 6, offset: 100, size: 0 };
    guest.encoder.push_tail(&SetStorage { stage: Stage::Compute as u32, first: 1, count: 1 }, &[rest]);
    guest.dispatch(shader, [1, 1, 1]);
    assert_eq!(guest.read_words(out, 12, 3), [1, 28, 6]);
    guest.finish();
}

#[test]
fn each_command_sees_what_those_before_it_wrote() {
    for mut guest in guests() {
        let (a, b) = (guest.words(&[1; 16]), guest.words(&[1; 16]));
        let shader = add(&mut guest);
        // a += b, b += a: Fibonacci's numbers.
        for turn in 0..10 {
            let order = if turn % 2 == 0 { [a, b] } else { [b, a] };
            bind_storage(&mut guest, Stage::Compute, &order);
            guest.dispatch(shader, [1, 1, 1]);
        }
        assert_eq!(guest.read_words(a, 0, 16), [89; 16]);
        assert_eq!(guest.read_words(b, 0, 16), [144; 16]);
        // Copies and fills between dispatches, and an upload behind them.
        let size = 32;
        bind_storage(&mut guest, Stage::Compute, &[a, b]);
        guest.encoder.push(&CopyBuffer { src: b, dst: a, src_offset: 0, dst_offset: 0, size });
        guest.dispatch(shader, [1, 1, 1]);
        guest.encoder.push(&FillBuffer { id: b, value: 5, offset: 0, size });
        guest.dispatch(shader, [1, 1, 1]);
        guest.encoder.push(&CopyBuffer { src: a, dst: a, src_offset: 0, dst_offset: 32, size });
        let data = guest.upload(bytes(&[1000; 4]));
        guest.encoder.push(&UpdateBuffer { id: b, flags: 0, offset: 0, data });
        guest.dispatch(shader, [1, 1, 1]);
        let found = guest.read_words(a, 0, 16);
        assert_eq!(found[..4], [288 + 5 + 1000; 4]);
        assert_eq!(found[4..8], [288 + 5 + 5; 4]);
        assert_eq!(found[8..], [288 + 5 + 144; 8]);
        guest.finish();
    }
}

#[test]
fn a_group_shares_memory() {
    for mut guest in guests() {
        let mut code = Code::new(Stage::Compute);
        code.b.work_group([64, 1, 1], 256);
        let (lane, local) = (code.lane(64), code.input(InputAt::LocalIndex, Type::I32));
        let place = code.word(1, lane);
        let value = code.b.load_global(place, 1);
        let (two, zero) = (code.b.i32(2), code.b.i32(0));
        let offset = code.b.ishl(local, two);
        code.b.store_shared(offset, value);
        code.b.barrier();
        for half in [32, 16, 8, 4, 2, 1] {
            let (half, distance) = (code.b.i32(half), code.b.i32(half * 4));
            let is_low = code.b.ilt(local, half);
            code.b.begin_if(is_low);
            let other = code.b.iadd(offset, distance);
            let (a, b) = (code.b.load_shared(offset, 1), code.b.load_shared(other, 1));
            let sum = code.b.iadd(a, b);
            code.b.store_shared(offset, sum);
            code.b.end_if();
            code.b.barrier();
        }
        let first = code.b.ieq(local, zero);
        code.b.begin_if(first);
        let sum = code.b.load_shared(zero, 1);
        let total = code.word(0, zero);
        code.b.atomic_global(AtomicOp::Add, total, &[sum]);
        code.b.end_if();
        let shader = code.create(&mut guest);
        let numbers: Vec<u32> = (1..=640).collect();
        let (total, numbers) = (guest.words(&[0; 4]), guest.words(&numbers));
        bind_storage(&mut guest, Stage::Compute, &[total, numbers]);
        guest.dispatch(shader, [10, 1, 1]);
        assert_eq!(guest.read_words(total, 0, 1), [640 * 641 / 2]);
        guest.finish();
    }
}

/// Binds a level of a texture as storage image 0 of compute shaders.
pub(crate) fn bind_image(guest: &mut Guest, texture: ObjectId, level: u16, layer: u16) {
    let image = StorageImage { view: View { texture, level, layer } };
    guest.encoder.push_tail(&SetStorageImages { stage: Stage::Compute as u32, first: 0, count: 1 }, &[image]);
}

/// Writes `(x, y, layer, 255)` of each texel, of 8x8 a group.
pub(crate) fn paint(guest: &mut Guest, dim: Dim, component: Component) -> ObjectId {
    let mut code = Code::new(Stage::Compute);
    code.b.work_group([8, 8, 1], 0);
    let (local, group) = (code.input(InputAt::LocalId, Type::I32X3), code.input(InputAt::WorkgroupId, Type::I32X3));
    let eight = code.b.const_bits(Type::I32X3, [8, 8, 1, 0]);
    let first = code.b.imul(group, eight);
    let place = code.b.iadd(first, local);
    let most = code.b.i32(255);
    let mut color = code.b.construct(&[place, most]);
    if component == Component::Float {
        let floats = code.b.i2f(color);
        let scale = code.b.f32x4([1.0 / 255.0; 4]);
        color = code.b.fmul(floats, scale);
    }
    let image = code.b.image(ImageDecl { slot: 0, dim, component, format: ImageFormat::Any });
    let coordinates = code.b.resize(place, dim.texel_coords());
    code.b.image_store(image, coordinates, None, color);
    code.create(guest)
}

#[test]
fn images_are_written_and_sampled_and_drawn_to() {
    if !HAS.images {
        return;
    }
    for mut guest in guests() {
        let format = Format::R8G8B8A8_UNORM;
        let usage = CreateTexture::STORAGE | CreateTexture::TARGET;
        let texture = guest.texture_with(CreateTexture { usage, ..plain(format, 16, 16, 1) });
        let shader = paint(&mut guest, Dim::D2, Component::Float);
        bind_image(&mut guest, texture, 0, 0);
        guest.dispatch(shader, [2, 2, 1]);
        let texels = guest.read(texture, format, 0, 0, [16, 16]);
        assert!(texels.chunks_exact(4).enumerate().all(|(n, t)| t == [n as u8 % 16, n as u8 / 16, 0, 255]));
        // A draw reads what a dispatch has just written.
        guest.bind(texture, ObjectId::NONE);
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        guest.target(format, 16, 16);
        guest.layout();
        guest.shaders(VERTEX, TEXTURE);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, texture, sampler);
        guest.dispatch(shader, [1, 2, 1]);
        guest.draw_now(&full(0.5, GREEN));
        let picture = guest.pixels();
        assert_eq!((picture.at(3, 12), picture.at(12, 3)), ([3, 12, 0, 255], rgba(RED)));
        // And a dispatch what a draw has just drawn: the texture is copied through a sampler to words.
        guest.bind(texture, ObjectId::NONE);
        guest.shaders(VERTEX, COLOR);
        guest.draw_now(&quad([-1.0, 0.0], [0.0, 1.0], 0.5, BLUE));
        let mut code = Code::compute(16);
        let lane = code.lane(16);
        let t = TextureDecl { slot: 20 + 3, dim: Dim::D2, shadow: false, component: Component::Float };
        let t = code.b.texture(t);
        let (y, x, zero) = (code.b.i32(4), code.b.i32(15), code.b.i32(0));
        let (y, x) = (code.b.ushr(lane, y), code.b.iand(lane, x));
        let place = code.b.construct(&[x, y]);
        let texel = code.b.fetch(t, place, zero, afterimage_ir::Offset::default());
        let blue = code.b.extract(texel, 2);
        let word = code.word(0, lane);
        code.b.store_global(word, blue);
        let copy = code.create(&mut guest);
        let out = guest.words(&[9; 256]);
        bind_storage(&mut guest, Stage::Compute, &[out]);
        guest.bind_texture(20 + 3, texture, sampler);
        guest.dispatch(copy, [16, 1, 1]);
        let found = guest.read_words(out, 0, 256);
        let blue = |n: usize| if n % 16 < 8 && n / 16 < 8 { 1f32.to_bits() } else { 0 };
        assert!(found.iter().enumerate().all(|(n, word)| *word == blue(n)), "{found:?}");
        guest.finish();
    }
}

/// A shader of a group of 4 x 4 texels and `samples` lanes each, one layer of an image, or all four with `array`. What `body` gets: the code,
/// the image, coordinates, sample and the number of the lane.
fn of_samples(
    guest: &mut Guest,
    samples: u32,
    array: bool,
    body: impl FnOnce(&mut Code, afterimage_ir::Image, afterimage_ir::Value, afterimage_ir::Value, afterimage_ir::Value),
) -> ObjectId {
    let mut code = Code::new(Stage::Compute);
    code.b.work_group([4, 4, samples], 0);
    let dim = if array { Dim::D2MsArray } else { Dim::D2Ms };
    let image = code.b.image(ImageDecl { slot: 0, dim, component: Component::Uint, format: ImageFormat::R32 });
    let (local, group) = (code.input(InputAt::LocalId, Type::I32X3), code.input(InputAt::WorkgroupId, Type::I32X3));
    let parts = [0, 1, 2].map(|n| code.b.extract(local, n));
    let layer = code.b.extract(group, 0);
    let place = code.b.construct(&[parts[0], parts[1], layer]);
    let place = code.b.resize(place, dim.texel_coords());
    let index = code.input(InputAt::LocalIndex, Type::I32);
    let per_layer = code.b.i32(16 * samples as i32);
    let before = code.b.imul(layer, per_layer);
    let number = code.b.iadd(before, index);
    body(&mut code, image, place, parts[2], number);
    code.create(guest)
}

#[test]
fn samples_are_stored_loaded_and_changed_one_by_one() {
    if !HAS.images {
        return;
    }
    for mut guest in guests() {
        let counts = guest.renderer.device_info().storage_sample_counts;
        for (samples, array) in [2u32, 4, 8].into_iter().flat_map(|samples| [(samples, false), (samples, true)]) {
            if counts >> (samples - 1) & 1 == 0 {
                continue;
            }
            let layers = if array { 4 } else { 1 };
            let (count, usage) = (16 * samples * layers, CreateTexture::STORAGE | CreateTexture::SAMPLED);
            let samples_of_a_texel = samples as u8;
            let texture =
                CreateTexture { usage, layers, samples: samples_of_a_texel, ..plain(Format::R32_UINT, 4, 4, 1) };
            let texture = guest.texture_with(texture);
            bind_image(&mut guest, texture, 0, 0);
            // Each lane its number, and two lanes' worth beyond the samples, which are lost.
            let store = of_samples(&mut guest, samples, array, |code, image, place, sample, number| {
                let texel = code.b.resize(number, 4);
                code.b.image_store(image, place, Some(sample), texel);
                for beyond in [samples as i32, 16, -1, i32::MIN] {
                    let (beyond, wrong) = (code.b.i32(beyond), code.b.const_bits(Type::I32X4, [0xdead; 4]));
                    code.b.image_store(image, place, Some(beyond), wrong);
                }
            });
            guest.dispatch(store, [layers, 1, 1]);
            let add = of_samples(&mut guest, samples, array, |code, image, place, sample, _| {
                let hundred = code.b.i32(100);
                code.b.image_atomic(AtomicOp::Add, image, place, Some(sample), &[hundred]);
            });
            guest.dispatch(add, [layers, 1, 1]);
            // What is beyond reads 0.
            let load = of_samples(&mut guest, samples, array, |code, image, place, sample, number| {
                let mut texel = code.b.image_load(image, place, Some(sample));
                for beyond in [samples as i32, 16, -1, i32::MIN] {
                    let beyond = code.b.i32(beyond);
                    let other = code.b.image_load(image, place, Some(beyond));
                    texel = code.b.iadd(texel, other);
                }
                let (texel, place) = (code.b.extract(texel, 0), code.word(0, number));
                code.b.store_global(place, texel);
            });
            let out = guest.words(&vec![9; count as usize]);
            bind_storage(&mut guest, Stage::Compute, &[out]);
            guest.dispatch(load, [layers, 1, 1]);
            let found = guest.read_words(out, 0, count as usize);
            assert!((100..100 + count).eq(found.iter().copied()), "{samples} samples, {array}: {found:?}");
            // One layer of it, as an image of its own.
            if array {
                bind_image(&mut guest, texture, 0, 2);
                let load = of_samples(&mut guest, samples, false, |code, image, place, sample, number| {
                    let texel = code.b.image_load(image, place, Some(sample));
                    let (texel, place) = (code.b.extract(texel, 0), code.word(0, number));
                    code.b.store_global(place, texel);
                });
                guest.dispatch(load, [1, 1, 1]);
                let found = guest.read_words(out, 0, 16 * samples as usize);
                assert_eq!(found[..], (100 + 32 * samples..100 + 48 * samples).collect::<Vec<_>>());
            }
        }
        guest.finish();
    }
}

/// What is bound is not what the shader wants: it reads 0, and what it stores is lost.
#[test]
fn images_of_samples_are_no_others() {
    if !HAS.images {
        return;
    }
    let mut guest = Guest::new();
    let counts = guest.renderer.device_info().storage_sample_counts;
    let Some(samples) = [4u32, 2, 8].into_iter().find(|samples| counts >> (samples - 1) & 1 != 0) else { return };
    let usage = CreateTexture::STORAGE;
    let one = guest.texture_with(CreateTexture { usage, ..plain(Format::R32_UINT, 4, 4, 1) });
    let several = CreateTexture { usage, samples: samples as u8, ..plain(Format::R32_UINT, 4, 4, 1) };
    let several = guest.texture_with(several);
    let shader = of_samples(&mut guest, samples, false, |code, image, place, sample, number| {
        let word = code.b.const_bits(Type::I32X4, [7; 4]);
        let (texel, out) = (code.b.image_load(image, place, Some(sample)), code.word(0, number));
        let texel = code.b.extract(texel, 0);
        code.b.store_global(out, texel);
        code.b.image_store(image, place, Some(sample), word);
    });
    let plain_store = paint(&mut guest, Dim::D2, Component::Uint);
    let out = guest.words(&vec![9; 16 * samples as usize]);
    bind_storage(&mut guest, Stage::Compute, &[out]);
    for bound in [one, ObjectId::NONE] {
        bind_image(&mut guest, bound, 0, 0);
        guest.dispatch(shader, [1, 1, 1]);
        let found = guest.read_words(out, 0, 16);
        assert!(found.iter().all(|word| matches!(word, 0 | 7)), "{found:?}");
        assert_eq!(guest.read(one, Format::R32_UINT, 0, 0, [4, 4]), [0; 64]);
    }
    bind_image(&mut guest, several, 0, 0);
    guest.dispatch(plain_store, [1, 1, 1]);
    guest.dispatch(shader, [1, 1, 1]);
    assert_eq!(guest.read_words(out, 0, 16 * samples as usize), vec![0; 16 * samples as usize]);
    guest.finish();
}

#[test]
fn a_shader_that_stores_to_samples_is_not_made_where_the_device_cannot() {
    if !HAS.images {
        return;
    }
    let mut guest = Guest::with(Without { shader_features: true, ..Without::default() });
    assert_eq!(guest.renderer.device_info().storage_sample_counts, 1);
    let texture = CreateTexture { usage: CreateTexture::STORAGE, samples: 4, ..plain(Format::R32_UINT, 4, 4, 1) };
    let texture = guest.texture_with(texture);
    bind_image(&mut guest, texture, 0, 0);
    let shader = of_samples(&mut guest, 4, false, |code, image, place, sample, number| {
        let word = code.b.resize(number, 4);
        code.b.image_store(image, place, Some(sample), word);
    });
    guest.dispatch(shader, [1, 1, 1]);
    guest.try_run().unwrap();
    // Neither is the texture.
    assert_eq!(guest.replies.iter().filter(|reply| matches!(reply, Reply::Error { .. })).count(), 1);
    assert_eq!(guest.renderer.skipped_draws(), 1);
    guest.finish();
}

#[test]
fn images_have_levels_layers_and_integers() {
    if !HAS.images {
        return;
    }
    let mut guest = Guest::new();
    let format = Format::R8G8B8A8_UINT;
    let usage = CreateTexture::STORAGE;
    let array = guest.texture_with(CreateTexture { usage, layers: 3, ..plain(format, 16, 8, 2) });
    let one = paint(&mut guest, Dim::D2, Component::Uint);
    bind_image(&mut guest, array, 1, 2);
    guest.dispatch(one, [1, 1, 1]);
    let all = paint(&mut guest, Dim::D2Array, Component::Uint);
    bind_image(&mut guest, array, 0, 1);
    guest.dispatch(all, [2, 1, 2]);
    let texel = |texels: &[u8], width: usize, x: usize, y: usize| texels[(y * width + x) * 4..][..4].to_vec();
    let level = guest.read(array, format, 1, 2, [8, 4]);
    assert_eq!(texel(&level, 8, 7, 3), [7, 3, 0, 255]);
    assert_eq!(guest.read(array, format, 0, 0, [16, 8]), [0; 16 * 8 * 4]);
    for layer in 1..3 {
        let texels = guest.read(array, format, 0, layer, [16, 8]);
        assert_eq!(texel(&texels, 16, 13, 6), [13, 6, layer as u8 - 1, 255]);
    }
    // A volume, all slices at once.
    let dimension = Dimension::D3 as u8;
    let volume = guest.texture_with(CreateTexture { usage, depth: 4, dimension, ..plain(format, 8, 8, 1) });
    let shader = paint(&mut guest, Dim::D3, Component::Uint);
    bind_image(&mut guest, volume, 0, 0);
    guest.dispatch(shader, [1, 1, 4]);
    assert_eq!(texel(&guest.read(volume, format, 0, 3, [8, 8]), 8, 5, 2), [5, 2, 3, 255]);
    // Another kind of texels, or nothing at all: what is written is lost.
    bind_image(&mut guest, array, 0, 0);
    let floats = paint(&mut guest, Dim::D2, Component::Float);
    guest.dispatch(floats, [1, 1, 1]);
    bind_image(&mut guest, ObjectId::NONE, 0, 0);
    guest.dispatch(one, [1, 1, 1]);
    assert_eq!(guest.read(array, format, 0, 0, [16, 8]), [0; 16 * 8 * 4]);
    guest.finish();
}

#[test]
fn texels_are_changed_atomically() {
    if !HAS.image_atomics {
        return;
    }
    let mut guest = Guest::new();
    let mut code = Code::compute(32);
    let lane = code.lane(32);
    let image = ImageDecl { slot: 0, dim: Dim::D2, component: Component::Uint, format: ImageFormat::R32 };
    let image = code.b.image(image);
    let (three, zero) = (code.b.i32(3), code.b.i32(0));
    let x = code.b.iand(lane, three);
    let place = code.b.construct(&[x, zero]);
    code.b.image_atomic(AtomicOp::Add, image, place, None, &[lane]);
    let shader = code.create(&mut guest);
    let texture =
        guest.texture_with(CreateTexture { usage: CreateTexture::STORAGE, ..plain(Format::R32_UINT, 4, 1, 1) });
    bind_image(&mut guest, texture, 0, 0);
    guest.dispatch(shader, [2, 1, 1]);
    let texels = guest.read(texture, Format::R32_UINT, 0, 0, [4, 1]);
    let sum = |first: u32| (0..16).map(|n| first + 4 * n).sum::<u32>();
    assert_eq!(words(&texels), [0, 1, 2, 3].map(sum));
    guest.finish();
}

/// A shader that does to texels, one after the other, what each operation does, and stores what was there before.
fn each_operation(guest: &mut Guest, dim: Dim, component: Component, by: [u32; 2]) -> ObjectId {
    let mut code = Code::compute(1);
    let image = code.b.image(ImageDecl { slot: 0, dim, component, format: ImageFormat::R32 });
    let [value, second] = by.map(|by| code.b.i32(by as i32));
    for (x, op) in (0..).zip(AtomicOp::ALL) {
        let (x, layer) = (code.b.i32(x), code.b.i32(1));
        let y = code.b.i32(0);
        let place = if dim == Dim::D2 { vec![x, y] } else { vec![x, y, layer] };
        let place = code.b.construct(&place);
        let old = code.b.image_atomic(*op, image, place, None, &[value, second][..op.operands()]);
        let at = code.word(0, x);
        code.b.store_global(at, old);
    }
    code.create(guest)
}

#[test]
fn every_operation_changes_texels_as_it_says() {
    if !HAS.image_atomics {
        return;
    }
    let mut guest = Guest::new();
    let count = AtomicOp::ALL.len();
    let texels: Vec<u32> = [5, 0x8000_0003, 0, !0].iter().cycle().copied().take(count).collect();
    let (width, usage) = (count as u32, CreateTexture::STORAGE);
    for (format, component) in [(Format::R32_UINT, Component::Uint), (Format::R32_SINT, Component::Sint)] {
        let flat = guest.texture_with(CreateTexture { usage, ..plain(format, width, 1, 1) });
        let array = guest.texture_with(CreateTexture { layers: 3, usage, ..plain(format, width, 1, 1) });
        let volume = CreateTexture { depth: 3, dimension: Dimension::D3 as u8, usage, ..plain(format, width, 1, 1) };
        let volume = guest.texture_with(volume);
        for (dim, texture) in [(Dim::D2, flat), (Dim::D2Array, array), (Dim::D3, volume)] {
            for by in [[7, 5], [0x8000_0003, 0xff], [1.5f32.to_bits(), 0]] {
                let shader = each_operation(&mut guest, dim, component, by);
                let z = if dim == Dim::D3 { 1 } else { 0 };
                let layer = u16::from(dim == Dim::D2Array);
                let data = guest.upload(bytes(&texels));
                let (row_pitch, zero) = (4 * width, UpdateTexture::zeroed());
                let size = UpdateTexture { id: texture, layer, z, width, height: 1, depth: 1, row_pitch, data, ..zero };
                guest.encoder.push(&size);
                let before = guest.words(&vec![0; count]);
                bind_storage(&mut guest, Stage::Compute, &[before]);
                bind_image(&mut guest, texture, 0, 0);
                guest.dispatch(shader, [1, 1, 1]);
                assert_eq!(guest.read_words(before, 0, count), texels, "{dim:?} {format:?}");
                let slice = if dim == Dim::D2 { 0 } else { 1 };
                let found = words(&guest.read(texture, format, 0, slice, [width, 1]));
                for ((op, old), found) in AtomicOp::ALL.iter().zip(&texels).zip(found) {
                    let wanted = op.apply((*old).into(), by[0].into(), by[1].into(), false) as u32;
                    assert_eq!(found, wanted, "{op:?} of {old:#x} by {by:x?}, {dim:?} {format:?}");
                }
            }
        }
    }
    guest.finish();
}

/// A view of texels of two words as one number, and the texture.
fn long_view(guest: &mut Guest, body: CreateTexture) -> [ObjectId; 2] {
    let usage = CreateTexture::STORAGE | CreateTexture::VIEWS;
    let source = guest.texture_with(CreateTexture { usage, ..body });
    let id = guest.id(ObjectKind::Texture);
    guest.encoder.push(&CreateView {
        id,
        source,
        format: Format::R64_UINT as u32,
        levels: 1,
        layers: body.layers as u16,
        dimension: body.dimension,
        swizzle: CreateTexture::IDENTITY,
        ..CreateView::zeroed()
    });
    [source, id]
}

/// A shader that does to texels of 64 bits, one after the other, what each operation does, and stores what was there before.
fn each_long_operation(guest: &mut Guest, dim: Dim, by: [u64; 2]) -> ObjectId {
    let mut code = Code::compute(1);
    let format = ImageFormat::R64;
    let image = code.b.image(ImageDecl { slot: 0, dim, component: Component::Uint, format });
    let operands = by.map(|by| code.b.const_bits(Type::I32X2, [by as u32, (by >> 32) as u32, 0, 0]));
    for (x, op) in (0..).zip(AtomicOp::ALL) {
        let (column, layer, row, word) = (code.b.i32(x), code.b.i32(1), code.b.i32(0), code.b.i32(2 * x));
        let place = if dim == Dim::D2 { vec![column, row] } else { vec![column, row, layer] };
        let place = code.b.construct(&place);
        let old = code.b.image_atomic(*op, image, place, None, &operands[..op.operands()]);
        let at = code.word(0, word);
        code.b.store_global(at, old);
    }
    code.create(guest)
}

/// Whether a guest's device changes texels of 64 bits.
fn has_long_texels(guest: &Guest) -> bool {
    guest.renderer.device_info().features(Format::R64_UINT) & FormatFeatures::STORAGE_ATOMIC != 0
}

#[test]
fn every_operation_changes_texels_of_64_bits_as_it_says() {
    let mut guest = Guest::new();
    if !has_long_texels(&guest) {
        return eprintln!("skipped: the device has no atomic operations on texels of 64 bits");
    }
    let (count, format) = (AtomicOp::ALL.len(), Format::R32G32_UINT);
    let numbers: [u64; 5] = [5, 0x8000_0000_0000_0003, 0, u64::MAX, 0xffff_ffff];
    let texels: Vec<u64> = numbers.iter().cycle().copied().take(count).collect();
    let width = count as u32;
    let flat = plain(format, width, 1, 1);
    let array = CreateTexture { layers: 3, ..flat };
    let volume = CreateTexture { depth: 3, dimension: Dimension::D3 as u8, ..flat };
    for (dim, body) in [(Dim::D2, flat), (Dim::D2Array, array), (Dim::D3, volume)] {
        let [texture, view] = long_view(&mut guest, body);
        for by in [[7, 5], [0x8000_0000_0000_0003, 0xffff_ffff], [0x1_0000_0000, 0], [1.5f64.to_bits(), 0]] {
            let shader = each_long_operation(&mut guest, dim, by);
            let z = if dim == Dim::D3 { 1 } else { 0 };
            let layer = u16::from(dim == Dim::D2Array);
            let data = guest.upload(bytemuck::cast_slice(&texels));
            let (row_pitch, zero) = (8 * width, UpdateTexture::zeroed());
            let size = UpdateTexture { id: texture, layer, z, width, height: 1, depth: 1, row_pitch, data, ..zero };
            guest.encoder.push(&size);
            let before = guest.words(&vec![0; 2 * count]);
            bind_storage(&mut guest, Stage::Compute, &[before]);
            bind_image(&mut guest, view, 0, 0);
            guest.dispatch(shader, [1, 1, 1]);
            let numbers = |words: &[u32]| -> Vec<u64> {
                words.as_chunks().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect()
            };
            assert_eq!(numbers(&guest.read_words(before, 0, 2 * count)), texels, "{dim:?}");
            let slice = if dim == Dim::D2 { 0 } else { 1 };
            let found = numbers(&words(&guest.read(texture, format, 0, slice, [width, 1])));
            for ((op, old), found) in AtomicOp::ALL.iter().zip(&texels).zip(found) {
                let wanted = op.apply(*old, by[0], by[1], true);
                assert_eq!(found, wanted, "{op:?} of {old:#x} by {by:x?}, {dim:?}");
            }
        }
    }
    guest.finish();
}

/// Images of 64-bit numbers are views of R64_UINT and nothing else: of anything else nothing is read, and what is stored is lost.
#[test]
fn shaders_with_texels_of_64_bits_have_images_of_such_alone() {
    let mut guest = Guest::new();
    if !has_long_texels(&guest) {
        return eprintln!("skipped: the device has no atomic operations on texels of 64 bits");
    }
    let shader = each_long_operation(&mut guest, Dim::D2, [7, 5]);
    let width = AtomicOp::ALL.len() as u32;
    let [texture, view] = long_view(&mut guest, plain(Format::R32G32_UINT, width, 1, 1));
    let before = guest.words(&vec![9; 2 * width as usize]);
    bind_storage(&mut guest, Stage::Compute, &[before]);
    for bound in [texture, ObjectId::NONE] {
        bind_image(&mut guest, bound, 0, 0);
        guest.dispatch(shader, [1, 1, 1]);
        assert_eq!(guest.read_words(before, 0, 2), [0; 2]);
        assert_eq!(words(&guest.read(texture, Format::R32G32_UINT, 0, 0, [width, 1])), vec![0; 2 * width as usize]);
    }
    // Nor is it one of two words to a shader.
    let mut code = Code::compute(1);
    let any = ImageDecl { slot: 0, dim: Dim::D2, component: Component::Uint, format: ImageFormat::Any };
    let image = code.b.image(any);
    let (place, ones) = (code.b.const_bits(Type::I32X2, [0; 4]), code.b.const_bits(Type::I32X4, [1; 4]));
    code.b.image_store(image, place, None, ones);
    let words_of_it = code.create(&mut guest);
    bind_image(&mut guest, view, 0, 0);
    guest.dispatch(words_of_it, [1, 1, 1]);
    assert_eq!(words(&guest.read(texture, Format::R32G32_UINT, 0, 0, [width, 1])), vec![0; 2 * width as usize]);
    guest.finish();
}

#[test]
fn texels_of_64_bits_are_refused_where_there_are_none() {
    if !HAS.images {
        return;
    }
    let mut guest = Guest::with(Without { shader_features: true, ..Without::default() });
    assert!(!has_long_texels(&guest));
    let shader = each_long_operation(&mut guest, Dim::D2, [7, 5]);
    // Neither the view nor a texture of such is there, nor the shader; the stream goes on without them.
    let [texture, view] = long_view(&mut guest, plain(Format::R32G32_UINT, 4, 1, 1));
    guest.texture_with(plain(Format::R64_UINT, 4, 1, 1));
    bind_image(&mut guest, view, 0, 0);
    guest.dispatch(shader, [1, 1, 1]);
    guest.try_run().unwrap();
    assert_eq!(guest.replies.iter().filter(|reply| matches!(reply, Reply::Error { .. })).count(), 2);
    assert_eq!(guest.renderer.skipped_draws(), 1);
    guest.replies.clear();
    assert_eq!(words(&guest.read(texture, Format::R32G32_UINT, 0, 0, [4, 1])), [0; 8]);
    guest.finish();
}

#[test]
fn texels_go_to_buffers_and_back() {
    let mut guest = Guest::new();
    let format = Format::R8G8B8A8_UNORM;
    let texture = guest.texture(format, 8, 4, 1, 0);
    let numbers: Vec<u32> = (0..64).map(|n| n * 0x0101_0101).collect();
    let buffer = guest.words(&numbers);
    let shader = add(&mut guest);
    bind_storage(&mut guest, Stage::Compute, &[buffer, buffer]);
    guest.dispatch(shader, [1, 1, 1]);
    // Rows of 16 texels in the buffer.
    let copy =
        TextureCopy { texture, buffer, x: 2, y: 1, width: 4, height: 2, depth: 1, row_pitch: 64, ..Zeroable::zeroed() };
    guest.encoder.push(&CopyToTexture { copy });
    let texels: Vec<u32> = words(&guest.read(texture, format, 0, 0, [8, 4]));
    let at = |x: usize, y: usize| texels[y * 8 + x];
    assert_eq!((at(2, 1), at(5, 1), at(2, 2), at(5, 2)), (0, 3 * 0x0202_0202, 16 * 0x0101_0101, 19 * 0x0101_0101));
    assert_eq!((at(1, 1), at(6, 1), at(2, 0), at(2, 3)), (0, 0, 0, 0));
    let copy = TextureCopy { x: 4, y: 1, width: 2, height: 2, row_pitch: 8, offset: 4, ..copy };
    guest.encoder.push(&CopyFromTexture { copy });
    guest.dispatch(shader, [1, 1, 1]);
    let found = guest.read_words(buffer, 0, 6);
    let doubled = [2 * 0x0202_0202u32, 3 * 0x0202_0202, 18 * 0x0101_0101, 19 * 0x0101_0101].map(|n| n.wrapping_mul(2));
    assert_eq!(found[1..5], doubled);
    guest.finish();
}

#[test]
fn code_with_addresses_of_its_own_is_for_tests_alone() {
    let mut guest = Guest::strange(Without::default());
    let ones = guest.words(&[1; 16]);
    let shader = add(&mut guest);
    bind_storage(&mut guest, Stage::Compute, &[ones, ones]);
    guest.dispatch(shader, [1, 1, 1]);
    assert_eq!(guest.read_words(ones, 0, 16), [1; 16], "the shader was not run");
    assert_eq!(guest.renderer.skipped_draws(), 1);
    guest.finish();
}
