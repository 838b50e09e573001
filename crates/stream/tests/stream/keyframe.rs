//! States written out as packets: a stream of nothing else passes the validator, whatever guests have left behind.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::*;
use bytemuck::Zeroable;

fn state_of(rest: impl FnOnce(&mut Encoder)) -> State {
    let mut out = Encoder::new();
    prologue(&mut out);
    rest(&mut out);
    let run = run(out.batch());
    assert_eq!(run.errors, []);
    run.state
}

const fn id(kind: ObjectKind, serial: u32) -> ObjectId {
    ObjectId::new(kind, serial)
}

#[test]
fn a_fresh_state_is_one() {
    assert_eq!(format!("{:?}", rebuilt(&State::default())), format!("{:?}", State::default()));
}

/// Two objects of each kind are bound side by side, and one of the two goes.
#[test]
fn what_names_objects_that_are_gone_takes_nothing_else_with_it() {
    let (gone, left) = (id(ObjectKind::Texture, 2), id(ObjectKind::Texture, 3));
    let (depth, sampler) = (id(ObjectKind::Texture, 4), id(ObjectKind::Sampler, 1));
    let (lost, kept) = (id(ObjectKind::Buffer, 2), id(ObjectKind::Buffer, 3));
    let (input, compute) = (id(ObjectKind::VertexInput, 1), id(ObjectKind::Shader, 3));
    let view = |texture| View { texture, level: 0, layer: 0 };
    let state = state_of(|out| {
        let usage = CreateTexture::TARGET | CreateTexture::STORAGE;
        for id in [gone, left] {
            out.push(&CreateTexture { usage, format: Format::R8G8B8A8_UNORM as u32, ..texture(id) });
        }
        out.push(&CreateTexture { format: Format::D24_UNORM_S8_UINT as u32, ..texture(depth) });
        out.push(&CreateSampler { id: sampler, ..CreateSampler::zeroed() });
        for id in [lost, kept] {
            out.push(&CreateBuffer { id, usage: CreateBuffer::STORAGE | CreateBuffer::VERTEX, size: 256 });
        }
        out.push_tail(&CreateVertexInput { id: input, count: 0 }, &[]);
        let code = UploadRef { slot: 0, size: 64, offset: 0 };
        out.push(&CreateShader { id: compute, stage: Stage::Compute as u32, language: 1, pad: 0, code });
        let mut targets = SetRenderTargets::default();
        (targets.color[0], targets.color[1], targets.depth) = (view(gone), view(left), view(depth));
        out.push(&targets);
        let bindings = [gone, left].map(|texture| TextureBinding { texture, sampler });
        for first in [2, TEXTURE_SLOTS as u32] {
            out.push_tail(&SetTextures { first, count: 2 }, &bindings);
        }
        let bindings = [lost, kept].map(|source| VertexBuffer { source, stride: 8, offset: 0, size: 0 });
        out.push_tail(&SetVertexBuffers { first: 1, count: 2 }, &bindings);
        let bindings = [lost, kept].map(|buffer| StorageBinding { buffer, ..StorageBinding::default() });
        let images = [gone, left].map(|texture| StorageImage { view: view(texture) });
        for stage in Stage::WITH_BINDINGS {
            out.push_tail(&SetStorage { stage: stage as u32, first: 0, count: 2 }, &bindings);
            out.push_tail(&SetStorageImages { stage: stage as u32, first: 0, count: 2 }, &images);
        }
        let captured = [lost, kept].map(|buffer| FeedbackBuffer { buffer, pad: 0, offset: 0, size: 64 });
        out.push_tail(&SetFeedbackBuffers { first: 0, count: 2 }, &captured);
        out.push(&SetIndexBuffer { source: lost, index_bytes: 2, restart: 0, offset: 0, size: 0 });
        out.push(&SetVertexInput { id: input, pad: 0 });
        for id in [gone, lost, input, PIXEL_SHADER] {
            out.push(&Destroy { id, ..Destroy::zeroed() });
        }
        // The serial is another one's now, which does not fit where the first one was.
        out.push(&CreateShader { id: PIXEL_SHADER, stage: Stage::Vertex as u32, language: 1, pad: 0, code });
    });
    let copy = rebuilt(&state);
    let textures = |state: &State| state.textures.all().map(|binding| binding.texture);
    assert_eq!(textures(&copy)[2..4], [ObjectId::NONE, left]);
    assert_eq!(copy.compute_textures.all()[1].texture, left);
    let targets = &copy.render_targets;
    assert_eq!((targets.color[0], targets.color[1], targets.depth), (View::default(), view(left), view(depth)));
    assert_eq!(copy.vertex_buffers.all()[1..3].iter().map(|b| b.source).collect::<Vec<_>>(), [ObjectId::NONE, kept]);
    for stage in Stage::WITH_BINDINGS {
        let buffers = copy.storage(stage)[..2].iter().map(|binding| binding.buffer);
        assert_eq!(buffers.collect::<Vec<_>>(), [ObjectId::NONE, kept]);
        let images = copy.storage_images(stage)[..2].iter().map(|image| image.view.texture);
        assert_eq!(images.collect::<Vec<_>>(), [ObjectId::NONE, left]);
    }
    assert_eq!(copy.feedback_buffers[..2].iter().map(|b| b.buffer).collect::<Vec<_>>(), [ObjectId::NONE, kept]);
    assert_eq!((copy.index_buffer.source, copy.vertex_input.id), (ObjectId::NONE, ObjectId::NONE));
    assert_eq!((copy.shaders.vertex, copy.shaders.pixel), (VERTEX_SHADER, ObjectId::NONE));
}

/// A program that made very many objects, of which the last few are left.
#[test]
fn serials_may_lie_far_apart() {
    // As far as there may be objects of the kind.
    let far = |kind| match kind {
        ObjectKind::Sampler | ObjectKind::VertexInput | ObjectKind::Table => 60_000,
        _ => 150_000,
    };
    let kinds = [
        ObjectKind::Buffer,
        ObjectKind::Texture,
        ObjectKind::Sampler,
        ObjectKind::Shader,
        ObjectKind::VertexInput,
        ObjectKind::Query,
        ObjectKind::Table,
    ];
    let code = UploadRef { slot: 0, size: 64, offset: 0 };
    let create = |out: &mut Encoder, id: ObjectId| match id.kind() {
        Some(ObjectKind::Buffer) => out.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX, size: 32 }),
        Some(ObjectKind::Texture) => out.push(&texture(id)),
        Some(ObjectKind::Sampler) => out.push(&CreateSampler { id, ..CreateSampler::zeroed() }),
        Some(ObjectKind::Shader) => {
            out.push(&CreateShader { id, stage: Stage::Vertex as u32, language: 1, pad: 0, code });
        }
        Some(ObjectKind::VertexInput) => out.push_tail(&CreateVertexInput { id, count: 0 }, &[]),
        Some(ObjectKind::Table) => out.push(&CreateTable { id, entries: 2 }),
        _ => out.push(&CreateQuery { id, kind: 0 }),
    };
    let state = state_of(|out| {
        for kind in kinds {
            let far = far(kind);
            for serial in [far / 3, far / 3 * 2, far] {
                create(out, id(kind, serial));
                if serial < far {
                    out.push(&Destroy { id: id(kind, serial), ..Destroy::zeroed() });
                }
            }
        }
        // A view whose serial is far from all textures'.
        let body = CreateView {
            id: id(ObjectKind::Texture, far(ObjectKind::Texture) + 50_000),
            source: TEXTURE,
            format: Format::B8G8R8A8_UNORM as u32,
            levels: 1,
            layers: 1,
            swizzle: CreateTexture::IDENTITY,
            ..CreateView::zeroed()
        };
        out.push(&body);
        out.push(&CreateView { id: id(ObjectKind::Texture, far(ObjectKind::Texture) + 100_000), ..body });
    });
    let copy = rebuilt(&state);
    for kind in kinds {
        let serials = |state: &State| state.objects.iter(kind).map(|(id, _)| id.serial()).collect::<Vec<_>>();
        assert_eq!(serials(&copy), serials(&state));
        assert!(serials(&copy).contains(&far(kind)));
    }
}

/// Of a multisampled texture all samples are updated at once.
#[test]
fn samples_are_updated_together() {
    let many = id(ObjectKind::Texture, 2);
    let data = UploadRef { slot: 0, size: 4096, offset: 0 };
    let update = |z, depth, slice_pitch| {
        let size = UpdateTexture { width: 8, height: 8, row_pitch: 32, ..UpdateTexture::zeroed() };
        UpdateTexture { id: many, z, depth, slice_pitch, data, ..size }
    };
    let create = |out: &mut Encoder| out.push(&CreateTexture { samples: 4, ..texture(many) });
    state_of(|out| {
        create(out);
        out.push(&update(0, 4, 256));
    });
    let refused = |body: UpdateTexture| {
        let error = error_of(|out| {
            create(out);
            out.push(&body);
        });
        error.cause
    };
    for (z, depth) in [(0, 1), (0, 3), (1, 3), (1, 4), (0, 5), (0, 0)] {
        assert!(matches!(refused(update(z, depth, 256)), Cause::Range { field: "depth", limit: 4, .. }), "{z} {depth}");
    }
    assert!(matches!(refused(update(0, 4, 2048)), Cause::Range { field: "data", .. }), "behind the data");
}
