//! Tables of textures that shaders look into by themselves.

use crate::common::code::bind_storage;
use crate::common::in_tables::{self, IMAGE};
use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, Format, ObjectId, ObjectKind, Reply};
use afterimage_vulkan::Without;

/// A guest whose draws show what is in a table, a row of four pixels each.
struct Looking {
    guest: Guest,
    table: ObjectId,
}

impl Looking {
    /// None where the device has no descriptor indexing.
    fn new() -> Option<Self> {
        let mut guest = Guest::new();
        if guest.renderer.device_info().features & DeviceFeatures::TABLES == 0 {
            eprintln!("not tested: the device has no descriptor indexing");
            return None;
        }
        guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        let vertex = guest.shader(Stage::Vertex, VERTEX);
        let pixel = in_tables::texel(&mut guest);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.layout();
        guest.vertices(&full(0.5, RED));
        let buffer = guest.words(&IMAGE);
        bind_storage(&mut guest, Stage::Pixel, &[buffer]);
        let table = in_tables::table(&mut guest, ObjectId::NONE);
        in_tables::bind_table(&mut guest, table);
        Some(Self { guest, table })
    }

    fn texture(&mut self, color: [f32; 4]) -> ObjectId {
        let texture = self.guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
        self.guest.update_texture(texture, 0, 0, [1, 1], 4, &rgba(color));
        texture
    }

    fn row(&mut self, row: u32) {
        self.guest.encoder.push(&SetScissor { rect: Rect { x: 0, y: row.cast_signed(), width: 4, height: 1 } });
        self.guest.draw(Topology::TriangleList, 0, 6);
    }

    /// The colour of each row.
    fn rows(mut self) -> [[u8; 4]; 4] {
        let pixels = self.guest.pixels();
        let rows = [0, 1, 2, 3].map(|y| pixels.at(2, y));
        self.guest.finish();
        rows
    }
}

#[test]
fn draws_find_what_is_in_a_table_when_they_are_recorded() {
    let Some(mut looking) = Looking::new() else { return };
    let [red, green] = [RED, GREEN].map(|color| looking.texture(color));
    let table = looking.table;
    for (row, texture) in (0..).zip([red, green, red, ObjectId::NONE]) {
        in_tables::update(&mut looking.guest, table, texture);
        looking.row(row);
    }
    assert_eq!(looking.rows(), [rgba(RED), rgba(GREEN), rgba(RED), [0; 4]]);
}

#[test]
fn what_is_destroyed_is_in_no_table() {
    let Some(mut looking) = Looking::new() else { return };
    let red = looking.texture(RED);
    in_tables::update(&mut looking.guest, looking.table, red);
    looking.row(0);
    looking.guest.encoder.push(&Destroy { id: red, pad: 0 });
    // Another has its place among the descriptors now, or will have.
    let _ = looking.texture(BLUE);
    looking.row(1);
    looking.guest.run();
    let green = looking.texture(GREEN);
    looking.row(2);
    in_tables::update(&mut looking.guest, looking.table, green);
    looking.row(3);
    assert_eq!(looking.rows(), [rgba(RED), [0; 4], [0; 4], rgba(GREEN)]);
}

#[test]
fn what_is_drawn_is_found_in_a_table() {
    let Some(mut looking) = Looking::new() else { return };
    let drawn = looking.guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, CreateTexture::TARGET);
    in_tables::update(&mut looking.guest, looking.table, drawn);
    let picture = looking.guest.pixels_target();
    for (row, color) in (0..).zip([RED, GREEN, BLUE]) {
        looking.guest.bind(drawn, ObjectId::NONE);
        looking.guest.clear(Clear::COLOR, color, 1.0, 0);
        looking.guest.bind(picture, ObjectId::NONE);
        looking.row(row);
    }
    // It is what is drawn to: whatever they find, it is no error.
    looking.guest.bind(drawn, ObjectId::NONE);
    looking.row(0);
    looking.guest.bind(picture, ObjectId::NONE);
    assert_eq!(looking.rows()[..3], [rgba(RED), rgba(GREEN), rgba(BLUE)]);
}

#[test]
fn a_texture_of_another_shape_or_of_other_texels_is_none() {
    let Some(mut looking) = Looking::new() else { return };
    let cube = CreateTexture { dimension: Dimension::Cube as u8, layers: 6, ..plain(Format::R8G8B8A8_UNORM, 4, 4, 1) };
    let whole = plain(Format::R8G8B8A8_UINT, 4, 4, 1);
    for (row, texture) in (0..).zip([cube, whole]) {
        let texture = looking.guest.texture_with(texture);
        in_tables::update(&mut looking.guest, looking.table, texture);
        looking.row(row);
    }
    assert_eq!(looking.rows()[..2], [[0; 4]; 2]);
}

/// Each draw needs memory of its own for a table that changes in front of it: there is an end to what waits for the GPU.
#[test]
fn a_large_table_may_change_at_each_draw() {
    let Some(mut looking) = Looking::new() else { return };
    let (large, textures) = (looking.guest.id(ObjectKind::Table), [RED, GREEN].map(|color| looking.texture(color)));
    looking.guest.encoder.push(&CreateTable { id: large, entries: 1 << 16 });
    in_tables::bind_table(&mut looking.guest, large);
    for n in 0..300 {
        in_tables::update(&mut looking.guest, large, textures[n % 2]);
        looking.row(0);
    }
    assert_eq!(looking.rows()[0], rgba(GREEN));
}

#[test]
fn a_device_without_descriptors_by_number_has_none() {
    let mut guest = Guest::with(Without { bindless: true, ..Without::default() });
    assert_eq!(guest.renderer.device_info().features & DeviceFeatures::TABLES, 0);
    let id = guest.id(ObjectKind::Table);
    guest.encoder.push(&CreateTable { id, entries: 4 });
    guest.try_run().expect("a stream that is right");
    assert!(guest.replies.drain(..).any(|reply| matches!(reply, Reply::Error { .. })), "it has no tables");
}
