//! What is shown in windows, and pipelines that are kept for the next process.

use crate::common::*;
use afterimage_ipc::ArenaConfig;
use afterimage_metal::{KeptPipelines, Options, Renderer};
use afterimage_metal_calls::Family;
use afterimage_metal_soft::{SoftDevice, SoftLayer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, Link as _, ObjectId, ObjectKind, Reply};
use bytemuck::Zeroable as _;
use std::path::{Path, PathBuf};

/// A guest whose windows have these layers, by their handles from 1 on.
fn guest(layers: &[SoftLayer]) -> Guest {
    let mut guest = Guest::new();
    let layers = layers.to_vec();
    guest.renderer.set_layer_factory(Box::new(move |target| match usize::try_from(target.window) {
        Ok(0) | Err(_) => None,
        Ok(window) => Some(layers.get(window - 1).cloned().ok_or_else(|| format!("there is no window {window}"))),
    }));
    guest
}

/// A target with a window.
fn window(guest: &mut Guest, window: u64, size: [u32; 2]) -> ObjectId {
    let id = guest.id(ObjectKind::Target);
    let [width, height] = size;
    guest.encoder.push(&PresentTarget { id, width, height, window_kind: WindowKind::X11 as u32, window });
    id
}

/// Shows a texture, or parts.
fn show(guest: &mut Guest, target: ObjectId, texture: ObjectId, [src, dst]: [Rect; 2]) {
    let frame = guest.frame;
    guest.encoder.push(&Present { frame, target, texture, src, dst, interval: 1, pad: 0 });
    guest.begin_frame();
    guest.run();
}

/// A texture with a quarter of each colour: red, green above, blue, white below.
fn quarters(guest: &mut Guest) -> ObjectId {
    let id = guest.texture(Format::R8G8B8A8_UNORM, 4, 2, 1, CreateTexture::TARGET);
    let row = |left: [u8; 4], right: [u8; 4]| [left, left, right, right].concat();
    let rows = [row([255, 0, 0, 255], [0, 255, 0, 255]), row([0, 0, 255, 255], [255; 4])].concat();
    guest.update_texture(id, 0, 0, [4, 2], 16, &rows);
    id
}

const ALL: [Rect; 2] = [Rect { x: 0, y: 0, width: 0, height: 0 }; 2];

/// Pixels of a layer, red first.
fn picture(layer: &SoftLayer) -> ([u32; 2], Vec<[u8; 4]>) {
    let (size, bytes) = layer.picture().expect("something was shown");
    (size, bytes.as_chunks().0.iter().map(|[blue, green, red, alpha]| [*red, *green, *blue, *alpha]).collect())
}

const R: [u8; 4] = [255, 0, 0, 255];
const G: [u8; 4] = [0, 255, 0, 255];
const B: [u8; 4] = [0, 0, 255, 255];
const W: [u8; 4] = [255; 4];
const K: [u8; 4] = [0, 0, 0, 255];

#[test]
fn pictures_are_shown_in_the_windows_of_their_targets() {
    let layers = [SoftLayer::default(), SoftLayer::default()];
    let mut guest = guest(&layers);
    let texture = quarters(&mut guest);
    let (one, other) = (window(&mut guest, 1, [4, 2]), window(&mut guest, 2, [2, 2]));
    show(&mut guest, one, texture, ALL);
    assert_eq!(picture(&layers[0]), ([4, 2], vec![R, R, G, G, B, B, W, W]));
    assert!(layers[1].picture().is_none());
    // A part, as large as the window.
    let right = Rect { x: 2, y: 0, width: 2, height: 2 };
    show(&mut guest, other, texture, [right, Rect::default()]);
    assert_eq!(picture(&layers[1]), ([2, 2], vec![G, G, W, W]));
    // A part of the window, the rest of which is black.
    show(&mut guest, one, texture, [right, Rect { x: 1, y: 0, width: 2, height: 2 }]);
    assert_eq!(picture(&layers[0]).1, [K, G, G, K, K, W, W, K]);
    // Gamma is the target's.
    let steps: Vec<u16> = (0..768).map(|step| if step < 256 { 0 } else { (step % 256) * 257 }).collect();
    guest.encoder.push_tail(&SetGamma { id: one, count: 768 }, &steps);
    show(&mut guest, one, texture, ALL);
    assert_eq!(picture(&layers[0]).1, [K, K, G, G, B, B, [0, 255, 255, 255], [0, 255, 255, 255]]);
    // A window that has grown.
    guest.encoder.push(&PresentTarget {
        id: other,
        width: 8,
        height: 4,
        window_kind: WindowKind::X11 as u32,
        window: 2,
    });
    show(&mut guest, other, texture, ALL);
    let (size, pixels) = picture(&layers[1]);
    assert_eq!((size, pixels[0], pixels[7], pixels[24], pixels[31]), ([8, 4], R, G, B, W));
    guest.finish();
}

#[test]
fn targets_without_a_window_and_windows_that_are_not_there_cost_nothing() {
    let layers = [SoftLayer::default()];
    let mut guest = guest(&layers);
    let texture = quarters(&mut guest);
    let (none, missing, there) =
        (window(&mut guest, 0, [4, 2]), window(&mut guest, 9, [4, 2]), window(&mut guest, 1, [4, 2]));
    for target in [none, missing, missing, there] {
        show(&mut guest, target, texture, ALL);
    }
    assert_eq!(picture(&layers[0]).1[..2], [R, R]);
    // Another target for the window, when the first is gone.
    guest.encoder.push(&Destroy { id: there, pad: 0 });
    let again = window(&mut guest, 1, [4, 2]);
    for _ in 0..5 {
        show(&mut guest, again, texture, ALL);
    }
    guest.finish();
}

/// The way of a program: a link, behind which a thread draws, shows, and keeps pipelines when the link goes.
#[test]
fn a_thread_shows_what_comes_through_a_link() {
    let (layer, folder) = (SoftLayer::default(), tempfile::tempdir().unwrap());
    let mut renderer = Renderer::new(SoftDevice::new(Family::Apple7), Options::default()).unwrap();
    let shown = layer.clone();
    renderer.set_layer_factory(Box::new(move |_| Some(Ok(shown.clone()))));
    renderer.keep_pipelines(folder.path()).unwrap();
    let mut link = renderer.on_thread(ArenaConfig::default(), |work| work(), ()).unwrap();
    let (target, texture) = (ObjectId::new(ObjectKind::Target, 1), ObjectId::new(ObjectKind::Texture, 1));
    let mut encoder = Encoder::new();
    encoder.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: 1 }, b"test");
    let kind = WindowKind::X11 as u32;
    encoder.push(&PresentTarget { id: target, width: 2, height: 2, window_kind: kind, window: 1 });
    encoder.push(&BeginFrame { frame: 1 });
    let of = plain(Format::R8G8B8A8_UNORM, 2, 2, 1);
    encoder.push(&CreateTexture { id: texture, usage: CreateTexture::TARGET, ..of });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = texture;
    encoder.push(&targets);
    encoder.push_tail(&Clear { flags: Clear::COLOR, color: GREEN, ..Clear::zeroed() }, &[]);
    let whole = Rect::default();
    encoder.push(&Present { frame: 1, target, texture, src: whole, dst: whole, interval: 0, pad: 0 });
    link.submit(encoder.batch()).unwrap();
    link.end_frame(1).unwrap();
    while link.wait().unwrap() != (Reply::FrameDone { frame: 1 }) {}
    drop(link);
    assert_eq!(picture(&layer), ([2, 2], vec![G; 4]));
    files(folder.path());
}

/// Draws a little with an archive in a folder; what the archive had and got.
fn draw_with(folder: &Path, family: Family) -> KeptPipelines {
    let mut guest = Guest::with_options(SoftDevice::new(family), Options::default());
    guest.renderer.keep_pipelines(folder).unwrap();
    let id = guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    for pixel in [COLOR, CONSTANT] {
        guest.shaders(VERTEX, pixel);
        guest.draw(Topology::TriangleList, 0, 6);
    }
    guest.present(id);
    guest.run();
    guest.renderer.write_pipelines().unwrap();
    guest.renderer.kept_pipelines()
}

/// The archive in a folder, and its checksum.
fn files(folder: &Path) -> [PathBuf; 2] {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.try_into().expect("an archive and its checksum")
}

#[test]
fn pipelines_are_kept_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let new = KeptPipelines { found: 0, added: 2, refused: 0 };
    let known = KeptPipelines { found: 2, ..KeptPipelines::default() };
    assert_eq!(draw_with(folder, Family::Apple7), new);
    assert_eq!(draw_with(folder, Family::Apple7), known);
    let [archive, sum] = files(folder);
    let (bytes, text) = (std::fs::read(&archive).unwrap(), std::fs::read(&sum).unwrap());
    // Whatever is changed, or missing: another is begun, and is there the next time.
    let damages: [&dyn Fn(); 6] = [
        &|| std::fs::write(&archive, &bytes[..bytes.len() - 1]).unwrap(),
        &|| std::fs::write(&archive, [&bytes[..], &[0]].concat()).unwrap(),
        &|| std::fs::write(&archive, []).unwrap(),
        &|| std::fs::write(&sum, &text[1..]).unwrap(),
        &|| std::fs::remove_file(&sum).unwrap(),
        &|| std::fs::remove_file(&archive).unwrap(),
    ];
    for damage in damages {
        damage();
        assert_eq!(draw_with(folder, Family::Apple7), new);
        assert_eq!((std::fs::read(&archive).unwrap(), std::fs::read(&sum).unwrap()), (bytes.clone(), text.clone()));
        assert_eq!(draw_with(folder, Family::Apple7), known);
    }
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        std::fs::write(&archive, other).unwrap();
        assert_eq!(draw_with(folder, Family::Apple7), new, "byte {at}");
    }
    // Another device has another.
    assert_eq!(draw_with(folder, Family::Mac2), new);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 4);
}
