//! Packets of compute, storage and views: what the validator takes and refuses, and that the state has all of it.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::*;
use bytemuck::Zeroable;
use proptest::prelude::*;

const STORAGE: ObjectId = ObjectId::new(ObjectKind::Buffer, 2);
const COMPUTE: ObjectId = ObjectId::new(ObjectKind::Shader, 3);
const ARRAY: ObjectId = ObjectId::new(ObjectKind::Texture, 2);
const VIEW: ObjectId = ObjectId::new(ObjectKind::Texture, 3);
const SAMPLER: ObjectId = ObjectId::new(ObjectKind::Sampler, 1);
const TABLE: ObjectId = ObjectId::new(ObjectKind::Table, 1);

/// What a table has of a view.
fn entry() -> TableEntry {
    TableEntry { tag: [1, 2], texture: VIEW, sampler: SAMPLER, value: 3, shape: 4, ..TableEntry::default() }
}

fn view() -> CreateView {
    CreateView {
        id: VIEW,
        source: ARRAY,
        format: Format::R32_UINT as u32,
        level: 1,
        levels: 2,
        layer: 2,
        layers: 3,
        swizzle: [3, 2, 1, 0],
        ..CreateView::zeroed()
    }
}

fn array() -> CreateTexture {
    let usage = CreateTexture::STORAGE | CreateTexture::TARGET | CreateTexture::VIEWS;
    CreateTexture { levels: 4, layers: 8, usage, format: Format::R8G8B8A8_UNORM as u32, ..texture(ARRAY) }
}

fn blending() -> BlendTarget {
    BlendTarget { enable: 1, src_color: 1, color_op: 2, alpha_op: 4, write_mask: 9, ..BlendTarget::default() }
}

fn copy() -> TextureCopy {
    let (texture, buffer) = (ARRAY, STORAGE);
    TextureCopy {
        texture,
        buffer,
        level: 3,
        layer: 7,
        width: 8,
        height: 4,
        depth: 1,
        row_pitch: 32,
        ..Zeroable::zeroed()
    }
}

/// Objects, and one good packet of each kind.
fn everything(out: &mut Encoder) {
    let code = UploadRef { slot: 0, size: 64, offset: 0 };
    out.push(&CreateBuffer { id: STORAGE, usage: CreateBuffer::STORAGE, size: 256 });
    out.push(&CreateShader { id: COMPUTE, stage: Stage::Compute as u32, language: 9, pad: 0, code });
    out.push(&array());
    out.push(&view());
    out.push(&CreateSampler { id: SAMPLER, ..CreateSampler::zeroed() });
    let body = SetStorage { stage: Stage::Pixel as u32, first: 62, count: 2 };
    let binding = StorageBinding { buffer: STORAGE, word: 4, offset: 128, size: 128 };
    out.push_tail(&body, &[binding, StorageBinding { word: 1, ..StorageBinding::default() }]);
    out.push(&CreateTable { id: TABLE, entries: 8 });
    out.push_tail(&UpdateTable { id: TABLE, first: 6, count: 2, pad: 0 }, &[TableEntry::default(), entry()]);
    // The last buffer and the first table.
    let body = SetStorage { stage: Stage::Compute as u32, first: FIRST_TABLE as u16 - 1, count: 2 };
    let table = StorageBinding { buffer: TABLE, word: 9, ..StorageBinding::default() };
    out.push_tail(&body, &[StorageBinding { buffer: STORAGE, ..table }, table]);
    let image = StorageImage { view: View { texture: VIEW, level: 1, layer: 2 } };
    out.push_tail(&SetStorageImages { stage: Stage::Compute as u32, first: 7, count: 1 }, &[image]);
    out.push_tail(&SetBlend { enable: 1, count: 2, ..SetBlend::default() }, &[blending(); 2]);
    // From the last slot of draws to the first one of compute.
    let binding = TextureBinding { texture: VIEW, sampler: SAMPLER };
    out.push_tail(&SetTextures { first: 19, count: 2 }, &[TextureBinding::default(), binding]);
    let mut targets = SetRenderTargets { layers: 6, ..SetRenderTargets::default() };
    targets.color[1] = View { texture: ARRAY, level: 0, layer: 2 };
    out.push(&targets);
    out.push_tail(
        &SetConstants { bank: Bank::gcn(Stage::Compute, GcnBank::Words) as u16, first: 1, count: 1 },
        &[[5; 4]],
    );
    out.push(&Dispatch { shader: COMPUTE, groups: [65_535, 2, 1] });
    out.push(&CopyBuffer { src: STORAGE, dst: STORAGE, src_offset: 0, dst_offset: 128, size: 128 });
    out.push(&FillBuffer { id: STORAGE, value: 1, offset: 252, size: 4 });
    let data = UploadRef { slot: 0, size: 3, offset: 9 };
    out.push(&ReadBuffer { id: STORAGE, pad: 0, offset: 253, token: 1, data });
    out.push(&CopyToTexture { copy: copy() });
    out.push(&CopyFromTexture { copy: TextureCopy { offset: 128, ..copy() } });
    out.push(&Draw { topology: Topology::RectList as u32, ..draw(0) });
}

#[test]
fn the_snapshot_has_views_bindings_and_blending() {
    let mut out = Encoder::new();
    prologue(&mut out);
    everything(&mut out);
    let own_back = StencilBack { enable: 1, reference: 7, read_mask: 15, write_mask: 3, pad: [0; 4] };
    out.push(&SetDepthStencil { own_back, ..SetDepthStencil::default() });
    let first = run(out.batch());
    assert_eq!(first.errors, []);
    let state = first.state;
    assert_eq!(state.storage(Stage::Pixel)[62].offset, 128);
    assert_eq!(state.storage(Stage::Compute)[FIRST_TABLE].buffer, TABLE);
    assert_eq!(state.objects.table(TABLE).expect("the table")[7], entry());
    assert_eq!((state.compute_textures[0].texture, state.textures[19].texture), (VIEW, ObjectId::NONE));
    assert_eq!((state.blend_targets.len(), state.render_targets.layers), (2, 6));
    assert_eq!(state.depth_stencil.own_back, own_back);
    let seen = state.objects.texture(VIEW).expect("the view");
    assert_eq!((seen.width, seen.levels, seen.layers, seen.swizzle), (32, 2, 3, [3, 2, 1, 0]));
    assert_eq!(format!("{:?}", rebuilt(&state)), format!("{state:?}"));
    // A packet says all of its group.
    out.push_tail(&SetBlend::default(), &[]);
    out.push(&SetDepthStencil::default());
    let state = run(out.batch()).state;
    assert!(state.blend_targets.is_empty());
    assert_eq!(*state.depth_stencil, SetDepthStencil::default());
}

/// The one error of what comes behind [`everything`].
fn refused(rest: impl FnOnce(&mut Encoder)) -> Cause {
    error_of(|out| {
        everything(out);
        rest(out);
    })
    .cause
}

/// The field of which that error is.
fn field(rest: impl FnOnce(&mut Encoder)) -> &'static str {
    field_of(refused(rest))
}

#[test]
fn what_is_out_of_range_is_refused_by_the_name_of_its_field() {
    let storage = |stage, first, binding: StorageBinding| {
        move |out: &mut Encoder| out.push_tail(&SetStorage { stage, first, count: 1 }, &[binding])
    };
    let binding = StorageBinding { buffer: STORAGE, ..StorageBinding::default() };
    assert_eq!(field(storage(3, 0, binding)), "stage");
    assert_eq!(field(storage(0, afterimage_stream::STORAGE as u16, binding)), "count");
    let other = |id| Cause::WrongKind { field: "buffer", id };
    assert_eq!(refused(storage(0, FIRST_TABLE as u16, binding)), other(STORAGE), "a buffer is no table");
    let table = StorageBinding { buffer: TABLE, ..binding };
    assert_eq!(refused(storage(0, FIRST_TABLE as u16 - 1, table)), other(TABLE), "a table is no buffer");
    assert_eq!(field(storage(0, FIRST_TABLE as u16, StorageBinding { offset: 4, ..table })), "offset");
    assert_eq!(field(storage(0, FIRST_TABLE as u16, StorageBinding { size: 4, ..table })), "size");
    assert_eq!(field(storage(0, 0, StorageBinding { offset: 2, ..binding })), "offset");
    assert_eq!(field(storage(0, 0, StorageBinding { offset: 4, size: 253, ..binding })), "buffer");
    assert_eq!(field(storage(0, 0, StorageBinding { size: 1 << 32, ..binding })), "size");
    let vertices = refused(storage(0, 0, StorageBinding { buffer: BUFFER, ..binding }));
    assert_eq!(vertices, other(BUFFER), "made for vertices alone");
    let image = StorageImage { view: View { texture: TEXTURE, level: 0, layer: 0 } };
    let images = SetStorageImages { stage: 2, first: 0, count: 1 };
    let cause = refused(|out| out.push_tail(&images, &[image]));
    assert_eq!(cause, Cause::WrongKind { field: "view", id: TEXTURE });
    assert_eq!(
        field(|out| out.push_tail(&SetStorageImages { first: STORAGE_IMAGES as u16, ..images }, &[image])),
        "count"
    );
    // Nobody but the receiver knows addresses.
    for stage in Stage::WITH_BINDINGS {
        let constants = SetConstants { bank: Bank::gcn(stage, GcnBank::Buffers) as u16, first: 0, count: 1 };
        assert_eq!(field(|out| out.push_tail(&constants, &[[1; 4]])), "bank");
    }
    let dispatch = Dispatch { shader: COMPUTE, groups: [1; 3] };
    assert_eq!(field(|out| out.push(&Dispatch { groups: [65_536, 1, 1], ..dispatch })), "groups");
    let cause = refused(|out| out.push(&Dispatch { shader: PIXEL_SHADER, ..dispatch }));
    assert_eq!(cause, Cause::WrongKind { field: "shader", id: PIXEL_SHADER });
    let cause = refused(|out| out.push(&Dispatch { shader: ObjectId::NONE, ..dispatch }));
    assert!(matches!(cause, Cause::Missing { field: "shader", .. }));
    let buffers = CopyBuffer { src: STORAGE, dst: STORAGE, src_offset: 0, dst_offset: 100, size: 100 };
    assert_eq!(field(|out| out.push(&CopyBuffer { dst_offset: 99, ..buffers })), "size");
    assert_eq!(field(|out| out.push(&CopyBuffer { size: 0, ..buffers })), "size");
    assert_eq!(field(|out| out.push(&CopyBuffer { src_offset: u64::MAX, ..buffers })), "src");
    let fill = FillBuffer { id: STORAGE, value: 0, offset: 0, size: 4 };
    assert_eq!(field(|out| out.push(&FillBuffer { offset: 2, ..fill })), "offset");
    assert_eq!(field(|out| out.push(&FillBuffer { size: !3, ..fill })), "id");
    let data = UploadRef { slot: 0, size: 4, offset: 4094 };
    let cause = refused(|out| out.push(&ReadBuffer { id: STORAGE, pad: 0, offset: 0, token: 0, data }));
    assert!(matches!(cause, Cause::UploadRange { field: "data", .. }));
    let to = |copy| move |out: &mut Encoder| out.push(&CopyToTexture { copy });
    assert_eq!(field(to(TextureCopy { x: 1, ..copy() })), "x");
    assert_eq!(field(to(TextureCopy { layer: 8, ..copy() })), "level");
    assert_eq!(field(to(TextureCopy { row_pitch: 33, ..copy() })), "row_pitch");
    assert_eq!(field(to(TextureCopy { row_pitch: 0, ..copy() })), "row_pitch");
    assert_eq!(field(to(TextureCopy { offset: 132, ..copy() })), "buffer");
    assert_eq!(field(to(TextureCopy { width: 0, ..copy() })), "x");
    let targets =
        |target| move |out: &mut Encoder| out.push_tail(&SetBlend { count: 1, ..SetBlend::default() }, &[target]);
    assert_eq!(field(targets(BlendTarget { color_op: BlendOp::SignedAdd as u8, ..blending() })), "color_op");
    assert_eq!(field(targets(BlendTarget { write_mask: 16, ..blending() })), "write_mask");
    let own_back = StencilBack { enable: 2, ..StencilBack::default() };
    assert_eq!(field(|out| out.push(&SetDepthStencil { own_back, ..SetDepthStencil::default() })), "enable");
    assert_eq!(field(|out| out.push_tail(&SetBlend { count: 9, ..SetBlend::default() }, &[blending(); 9])), "count");
    let mut body = SetRenderTargets { layers: 7, ..SetRenderTargets::default() };
    body.color[0] = View { texture: ARRAY, level: 0, layer: 2 };
    assert_eq!(field(|out| out.push(&body)), "layers");
    let bounds = SetDepthBounds { enable: 1, max: 1.0, ..SetDepthBounds::default() };
    assert_eq!(field(|out| out.push(&SetDepthBounds { enable: 2, ..bounds })), "enable");
    assert_eq!(field(|out| out.push(&SetDepthBounds { min: -0.1, ..bounds })), "min");
    assert_eq!(field(|out| out.push(&SetDepthBounds { max: f32::NAN, ..bounds })), "max");
    let further = |viewport, count: usize| {
        move |out: &mut Encoder| {
            let all = vec![FurtherViewport { viewport, scissor: Rect::default() }; count];
            out.push_tail(&SetViewports { count: count as u32, pad: 0 }, &all);
        }
    };
    assert_eq!(field(further(SetViewport::default(), VIEWPORTS)), "count");
    assert_eq!(field(further(SetViewport { width: -1.0, ..SetViewport::default() }, 1)), "width");
    assert_eq!(field(further(SetViewport { max_depth: 2.0, ..SetViewport::default() }, 15)), "min_depth");
}

#[test]
fn entries_of_tables_are_checked_one_by_one() {
    let id = ObjectId::new(ObjectKind::Table, 2);
    for entries in [0, afterimage_abi::tables::MOST_ENTRIES + 1] {
        assert_eq!(field(|out| out.push(&CreateTable { id, entries })), "entries");
    }
    let update = |first, entry: TableEntry| {
        move |out: &mut Encoder| out.push_tail(&UpdateTable { id: TABLE, first, count: 1, pad: 0 }, &[entry])
    };
    assert_eq!(field(update(8, entry())), "count");
    assert_eq!(field(update(u32::MAX, entry())), "count");
    assert_eq!(field(update(0, TableEntry { value: 1 << 24, ..entry() })), "value");
    assert_eq!(field(update(0, TableEntry { shape: 8, ..entry() })), "shape");
    assert_eq!(field(update(0, TableEntry { shape: 3, ..entry() })), "shape", "samplers are no textures");
    assert_eq!(field(update(0, TableEntry { srgb: 2, ..entry() })), "srgb");
    let cause = refused(update(0, TableEntry { texture: SAMPLER, ..entry() }));
    assert_eq!(cause, Cause::WrongKind { field: "texture", id: SAMPLER });
    let gone = ObjectId::new(ObjectKind::Sampler, 9);
    let cause = refused(update(0, TableEntry { sampler: gone, ..entry() }));
    assert_eq!(cause, Cause::Missing { field: "sampler", id: gone });
    let body = UpdateTable { id: VIEW, first: 0, count: 1, pad: 0 };
    assert_eq!(refused(|out| out.push_tail(&body, &[entry()])), Cause::WrongKind { field: "id", id: VIEW });
}

#[test]
fn what_is_destroyed_is_in_no_table() {
    let mut out = Encoder::new();
    prologue(&mut out);
    everything(&mut out);
    out.push(&Destroy { id: SAMPLER, pad: 0 });
    let mut state = run(out.batch()).state;
    let held = |state: &State| state.objects.table(TABLE).expect("the table")[7];
    assert_eq!(held(&state), TableEntry { sampler: ObjectId::NONE, ..entry() });
    // What has its id later is another one.
    let new = CreateSampler { id: SAMPLER, ..CreateSampler::zeroed() };
    state.apply(&Packet::CreateSampler(&new));
    assert!(held(&state).sampler.is_none());
    state.apply(&Packet::Destroy(&Destroy { id: VIEW, pad: 0 }));
    assert_eq!(held(&state), TableEntry { texture: ObjectId::NONE, sampler: ObjectId::NONE, ..entry() });
    assert_eq!(rebuilt(&state).objects.table(TABLE), state.objects.table(TABLE));
}

#[test]
fn views_and_layers_fit_their_textures() {
    let id = ObjectId::new(ObjectKind::Texture, 9);
    let made = |body: CreateView| move |out: &mut Encoder| out.push(&CreateView { id, ..body });
    assert_eq!(field(made(CreateView { levels: 4, ..view() })), "levels");
    assert_eq!(field(made(CreateView { levels: 0, ..view() })), "levels");
    assert_eq!(field(made(CreateView { layers: 7, ..view() })), "layers");
    assert_eq!(field(made(CreateView { dimension: Dimension::D3 as u8, ..view() })), "dimension");
    assert_eq!(field(made(CreateView { dimension: Dimension::Cube as u8, ..view() })), "layers");
    assert_eq!(field(made(CreateView { format: Format::R16_UNORM as u32, ..view() })), "format");
    assert_eq!(field(made(CreateView { format: 0xffff, ..view() })), "format");
    assert_eq!(field(made(CreateView { format: Format::D32_SFLOAT as u32, ..view() })), "format");
    assert_eq!(
        field(made(CreateView { source: TEXTURE, levels: 1, level: 0, layer: 0, layers: 1, ..view() })),
        "format"
    );
    let of_a_view = refused(made(CreateView { source: VIEW, ..view() }));
    assert_eq!(of_a_view, Cause::WrongKind { field: "source", id: VIEW });
    let destroyed = refused(|out| out.push(&Destroy { id: ARRAY, pad: 0 }));
    assert_eq!(destroyed, Cause::HasViews { field: "id", id: ARRAY });
    let mut out = Encoder::new();
    prologue(&mut out);
    everything(&mut out);
    out.push(&Destroy { id: VIEW, pad: 0 });
    out.push(&Destroy { id: ARRAY, pad: 0 });
    assert_eq!(run(out.batch()).errors, []);
    let texture = |body: CreateTexture| move |out: &mut Encoder| out.push(&CreateTexture { id, ..body });
    assert_eq!(field(texture(CreateTexture { layers: 2049, ..array() })), "layers");
    assert_eq!(field(texture(CreateTexture { layers: 0, ..array() })), "layers");
    assert_eq!(field(texture(CreateTexture { dimension: 1, layers: 8, ..array() })), "layers");
    assert_eq!(field(texture(CreateTexture { samples: 4, ..array() })), "samples");
    assert_eq!(field(texture(CreateTexture { samples: 3, levels: 1, ..array() })), "samples");
    let mut out = Encoder::new();
    prologue(&mut out);
    texture(CreateTexture { samples: 4, levels: 1, ..array() })(&mut out);
    assert_eq!(run(out.batch()).errors, [], "what is stored to may have samples");
    let storage = |format: Format| field(texture(CreateTexture { format: format as u32, ..array() }));
    assert_eq!([Format::R8G8B8A8_SRGB, Format::BC1_RGBA_UNORM, Format::D16_UNORM].map(storage), ["usage"; 3]);
}

proptest! {
    #[test]
    fn any_flipped_word_is_survived(at in 0usize..400, value: u64, bit in 0u32..64) {
        let mut out = Encoder::new();
        prologue(&mut out);
        everything(&mut out);
        let batch = out.batch();
        let at = at % batch.len();
        batch[at] ^= 1 << bit;
        run(batch);
        batch[at] = value;
        for error in run(batch).errors {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn random_bodies_of_the_new_packets_are_survived(
        kind in prop::sample::select(vec![0x16u16, 0x17, 0x23, 0x3d, 0x3e, 0x3f, 0x53, 0x64, 0x65, 0x66, 0x67, 0x68]),
        body in prop::collection::vec(any::<u64>(), 0..24),
        valid: bool,
    ) {
        let mut out = Encoder::new();
        prologue(&mut out);
        everything(&mut out);
        let sequence = out.sequence() + 1;
        let batch = out.batch();
        let mut words = vec![bytemuck::cast(Header { kind, units: body.len() as u16 + 1, sequence })];
        words.extend(body);
        if valid && words.len() > 1 {
            // An object that there is, so that the rest of the body is looked at.
            words[1] = u64::from(STORAGE.0) << 32 | u64::from(ARRAY.0);
        }
        batch.extend(words);
        run(batch);
    }
}
