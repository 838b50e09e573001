//! Budgets that the renderer holds itself: what is past one is an error of that object or draw by name, and what comes after it goes on.

use crate::common::*;
use afterimage_shader::{CompileError, Language, MAX_INSTRUCTIONS, Profile, RuntimeInfo, Shader};
use afterimage_stream::packets::*;
use afterimage_stream::{Budget, Budgets, Cause, Format, ObjectId, ObjectKind, Reply, UploadRef};

/// A guest of a stranger with a target, and these budgets.
fn guest(budgets: impl FnOnce(Budgets) -> Budgets) -> Guest {
    let mut guest = Guest::strange(Default::default());
    let budgets = budgets(*guest.renderer.budgets());
    guest.renderer.set_budgets(budgets);
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest
}

fn errors(guest: &mut Guest) -> usize {
    let count = guest.replies.iter().filter(|reply| matches!(reply, Reply::Error { .. })).count();
    guest.replies.clear();
    count
}

/// Draws in green with shaders that everybody may have: whatever was refused before, this works.
fn goes_on(mut guest: Guest) {
    guest.replies.clear();
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
    guest.finish();
}

/// `cap_2_1592_replay.aftercap`: 4,286,578,688 bytes of code, nearly all of which are not there. It took 4.3 GB.
#[test]
fn code_that_is_not_there_takes_no_memory() {
    let mut guest = guest(|budgets| budgets);
    for size in [4_286_578_688, (1 << 20) + 1] {
        let id = guest.id(ObjectKind::Shader);
        let code = UploadRef { slot: 0, size, offset: 0 };
        guest.encoder.push(&CreateShader { id, stage: Stage::Compute as u32, language: 9, pad: 0, code });
        let error = guest.try_run().unwrap_err();
        let limit = Budget::ShaderBytes.row().default;
        assert_eq!(error.cause, Cause::Budget { budget: Budget::ShaderBytes, id, asked: size.into(), limit });
        assert_eq!(errors(&mut guest), 1);
    }
    goes_on(guest);
}

/// A vertex shader whose every instruction needs the one before it.
fn long(instructions: usize) -> String {
    let pair = "m4x4 r1, r0, c0\nm4x4 r0, r1, c0\n";
    format!("vs_3_0\ndcl_position v0\ndcl_position o0\nmov r0, v0\n{}mov o0, r0", pair.repeat(instructions / 2))
}

#[test]
fn translations_have_a_length() {
    let tokens = afterimage_shader_d3d9::assemble(&long(24_000)).expect("a right shader");
    let shader = Shader::from_stream(Language::D3d9 as u32, bytemuck::cast_slice(&tokens)).expect("tokens in order");
    let error = shader.compile(&Profile::default(), &RuntimeInfo::default()).unwrap_err();
    let CompileError::TooLong { instructions, limit } = error else { panic!("{error}") };
    assert!(instructions > limit && limit >= MAX_INSTRUCTIONS, "{error}");
    assert!(error.to_string().contains(&limit.to_string()), "{error}");
    // Its draws are skipped.
    let mut guest = guest(|budgets| budgets);
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    let vertex = guest.d3d9_shader(Stage::Vertex, &long(24_000));
    guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(RED)), 64);
    assert_eq!(guest.renderer.skipped_draws(), 1);
    goes_on(guest);
}

#[test]
fn translations_of_all_shaders_are_bounded_and_come_back() {
    let mut guest = guest(|budgets| budgets.with(Budget::Translated, 64));
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(RED)), 64, "its draws are skipped");
    assert_eq!(guest.renderer.skipped_draws(), 1);
    let budgets = guest.renderer.budgets().with(Budget::Translated, 1 << 20);
    guest.renderer.set_budgets(budgets);
    // Under another name, since what failed is not tried again.
    guest.shaders(&VERTEX.replace("\"test\"", "\"again\""), &COLOR.replace("\"color\"", "\"again\""));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
    guest.finish();
}

#[test]
fn pipelines_are_bounded() {
    let mut guest = guest(|budgets| budgets.with(Budget::Pipelines, 2));
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.layout();
    for number in 0..4 {
        guest.shaders(VERTEX, &COLOR.replace("\"color\"", &format!("\"color {number}\"")));
        guest.vertices(&full(0.5, GREEN));
        guest.draw(Topology::TriangleList, 0, 6);
    }
    assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
    assert!(guest.figure("pipelines_there") <= 2.0);
    assert!(guest.renderer.skipped_draws() >= 2);
    let budgets = guest.renderer.budgets().with(Budget::Pipelines, 64);
    guest.renderer.set_budgets(budgets);
    goes_on(guest);
}

#[test]
fn uploads_that_bindings_read_are_bounded_by_frame() {
    let mut guest = guest(|budgets| budgets.with(Budget::Uploads, 1024));
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    for _ in 0..2 {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        // 240 bytes each.
        for _ in 0..4 {
            guest.draw_now(&full(0.5, GREEN));
        }
        guest.run();
        guest.draw_now(&full(0.5, RED));
        guest.try_run().unwrap();
        assert_eq!(errors(&mut guest), 1, "the binding of the fifth");
        // What was bound before it is still there.
        assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
        let screen = guest.pixels_target();
        guest.present(screen);
        guest.run();
    }
    goes_on(guest);
}

/// Memory that the device does not have is an error of the texture, or of the buffer, that asks for it.
#[test]
fn memory_that_runs_out_is_an_error_of_one_object() {
    let mut guest = guest(|budgets| {
        let all = [Budget::TextureBytes, Budget::TextureMemory, Budget::BufferBytes, Budget::BufferMemory];
        all.into_iter().fold(budgets, |budgets, budget| budgets.with(budget, u64::MAX))
    });
    // More than the device lets an image have, and more than there is anywhere.
    let huge = CreateTexture { layers: 2048, ..plain(Format::R32G32B32A32_SFLOAT, 16_384, 16_384, 1) };
    let texture = guest.texture_with(huge);
    let buffer = guest.id(ObjectKind::Buffer);
    guest.encoder.push(&CreateBuffer { id: buffer, usage: CreateBuffer::VERTEX, size: 1 << 46 });
    guest.try_run().unwrap();
    assert_eq!(errors(&mut guest), 2);
    // They are named all the same, and nothing comes of it.
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(0, texture, sampler);
    guest.bind_vertices(buffer, 0, 0);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.draw(Topology::TriangleList, 0, 6);
    guest.encoder.push(&GenerateMips { id: texture, filter: 0 });
    guest.try_run().unwrap();
    guest.bind_texture(0, ObjectId::NONE, ObjectId::NONE);
    for id in [texture, buffer] {
        guest.encoder.push(&Destroy { id, pad: 0 });
    }
    goes_on(guest);
}

/// Read backs of more than may wait for the GPU at a time all come.
#[test]
fn read_backs_without_end_are_answered() {
    let mut guest = guest(|budgets| budgets);
    let edge = 4096;
    let texture = guest.texture(Format::R8G8B8A8_UNORM, edge, edge, 1, CreateTexture::TARGET);
    let data = guest.upload(&vec![0; 16 << 20]);
    let (rect, src) = (Rect { x: 0, y: 0, width: edge, height: edge / 4 }, View { texture, level: 0, layer: 0 });
    for token in 1..=40 {
        guest.encoder.push(&ReadBack { src, rect, row_pitch: edge * 4, pad: 0, token, data });
    }
    guest.run();
    let answered = guest.replies.iter().filter(|reply| matches!(reply, Reply::ReadBack { ok: true, .. })).count();
    assert_eq!(answered, 40);
    goes_on(guest);
}
