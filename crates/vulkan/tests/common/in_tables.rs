//! Guests' code that takes a texture out of a table, and the tables.

use super::Guest;
use afterimage_abi::Language;
use afterimage_shader_gcn::io::{HwStage, Registers, Source, TableSpec, tables};
use afterimage_stream::packets::{CreateTable, SetStorage, Stage, StorageBinding, TableEntry, UpdateTable};
use afterimage_stream::{FIRST_TABLE, ObjectId, ObjectKind};

/// The image's descriptor, as the code finds it in memory. Nobody looks at what it says.
pub const IMAGE: [u32; 8] = [3; 8];
/// `SQ_RSRC_IMG_2D`.
const D2: u32 = 9;

/// Texel 0, 0 of the image whose descriptor lies at s[0:1], as the colour: which one it is, the code says by a place that is not known before.
const TEXEL: &str = "
    v_cvt_u32_f32 v2, v2
    v_lshrrev_b32 v2, 20, v2
    v_readfirstlane_b32 s4, v2
    s_add_u32 s4, s0, s4
    s_mov_b32 s5, s1
    s_load_dwordx8 s[8:15], s[4:5], 0x0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    s_waitcnt lgkmcnt(0)
    image_load v[4:7], v[4:5], s[8:15] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    exp mrt0 v4, v5, v6, v7 done vm
    s_endpgm
";

/// The pixel shader, which the descriptor is bound for by [`bind_descriptor`] and a table by [`bind_table`].
pub fn texel(guest: &mut Guest) -> ObjectId {
    let code = afterimage_shader_gcn::assemble(TEXEL).expect("a right program");
    let registers = Registers {
        rsrc1: 0xC0 << 12,
        rsrc2: 2 << 1,
        // PERSP_CENTER, which is v0 and v1, and POS_X_FLOAT.
        ps_input_ena: 1 << 8 | 2,
        ps_input_addr: 1 << 8 | 2,
        // 32-bit floats.
        col_format: 9,
        tables: 1,
        ..Registers::default()
    };
    let mut source = Source {
        stage: HwStage::Ps,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let found = afterimage_shader_gcn::resources(&source).expect("a program that is understood");
    assert_eq!((found.images.len(), found.tables.len(), found.buffers.len()), (0, 1, 1), "{found:?}");
    source.buffers = vec![Default::default(); found.buffers.len()];
    source.tables = vec![TableSpec { floats: 1 << D2, ..TableSpec::default() }];
    guest.shader_in(Stage::Pixel, Language::Gcn as u32, &source.to_bytes())
}

/// An entry with a texture, at the place where [`texel`] looks.
pub fn entry(texture: ObjectId) -> TableEntry {
    TableEntry { tag: tables::tag(&IMAGE), texture, value: tables::image_value(D2, 0), ..TableEntry::default() }
}

/// A table of one entry.
pub fn table(guest: &mut Guest, texture: ObjectId) -> ObjectId {
    let id = guest.id(ObjectKind::Table);
    guest.encoder.push(&CreateTable { id, entries: 1 });
    update(guest, id, texture);
    id
}

pub fn update(guest: &mut Guest, id: ObjectId, texture: ObjectId) {
    guest.encoder.push_tail(&UpdateTable { id, first: 0, count: 1, pad: 0 }, &[entry(texture)]);
}

/// Binds a table for the pixel stage.
pub fn bind_table(guest: &mut Guest, table: ObjectId) {
    let binding = StorageBinding { buffer: table, word: tables::table_word(0, 0), ..StorageBinding::default() };
    let body = SetStorage { stage: Stage::Pixel as u32, first: FIRST_TABLE as u16, count: 1 };
    guest.encoder.push_tail(&body, &[binding]);
}

/// Binds a buffer with the descriptor for the pixel stage.
pub fn bind_descriptor(guest: &mut Guest) {
    let buffer = guest.words(&IMAGE);
    super::code::bind_storage(guest, Stage::Pixel, &[buffer]);
}
