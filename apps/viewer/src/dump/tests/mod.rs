//! What guests upload in compressed formats is what the files of a dump have: part by part, and in the file of all, which another
//! crate reads.

mod d3d9;
mod gnm;
#[path = "../../../../../crates/inspect/tests/guests/mod.rs"]
mod guests;

use super::{Frame, dump_to};
use crate::graphics::Device;
use crate::source::Source;
use afterimage_capture::{Info, Writer};
use afterimage_stream::{Format, Link, Recording, recorder};
use afterimage_vulkan::{Gpu, Options};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn options() -> Options {
    Options { validate: true, cache_dir: None, ..Options::from_env() }
}

fn gpu() -> Arc<Gpu> {
    Gpu::common(&options()).unwrap_or_else(|error| {
        panic!("{error}\n\nThis test needs a Vulkan driver and the validation layer: run `cargo xtask setup`.")
    })
}

/// A link for a guest of the device here, and what it will have sent.
fn link() -> (Box<dyn Link>, Arc<Mutex<Recording>>) {
    recorder(afterimage_vulkan::Renderer::on(gpu(), options()).expect("a renderer").device_info())
}

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Dumps what a guest has sent, as a frame.
fn dumped(sent: &Mutex<Recording>) -> Files {
    let sent = sent.lock().unwrap();
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info { program: "test".into(), ..Info::default() }).expect("a capture");
    sent.batches.iter().for_each(|batch| writer.batch(batch, &*sent).expect("a batch"));
    writer.finish().expect("a capture");
    let folder = tempfile::tempdir().expect("a folder");
    let source = Source::Bytes(file.into());
    let frame = Frame { program: "test".to_owned(), number: 7, source, calls: None };
    let path = dump_to(folder.path(), &frame, Ok(Device::Vulkan(gpu())), &options()).expect("a dump");
    assert!(path.ends_with("test_frame_dump_0007.txt"), "{path}");
    assert_eq!(gpu().instance.validation_messages(), 0, "see the log");
    let entries = std::fs::read_dir(folder.path()).expect("the folder").flatten();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

/// The only file whose name has these parts, in this order.
fn file<'a>(files: &'a Files, begin: &str, end: &str) -> &'a [u8] {
    let is =
        |name: &&String| name.starts_with("test_frame_dump_0007_tex_") && name.contains(begin) && name.ends_with(end);
    let found: Vec<&String> = files.keys().filter(is).collect();
    let [name] = found[..] else { panic!("*{begin}*{end}: {found:?} of {:?}", files.keys()) };
    &files[name]
}

/// Bytes that look like nothing.
fn noise(seed: u32, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..count).map(|_| byte()).collect()
}

/// Blocks of a level of a texture of this format.
fn blocks(format: Format, level: u32, layer: u32, [width, height]: [u32; 2]) -> Vec<u8> {
    let seed = (format as u32) << 16 | level << 8 | layer;
    noise(seed, format.packed_size((width >> level).max(1), (height >> level).max(1)) as usize)
}

/// The file of all of a texture has this in each of its layers, and says what it is.
fn check_dds(bytes: &[u8], format: ddsfile::DxgiFormat, [width, height]: [u32; 2], levels: u32, layers: &[Vec<u8>]) {
    let dds = ddsfile::Dds::read(bytes).expect("a file that others can read");
    assert_eq!(dds.get_dxgi_format(), Some(format));
    assert_eq!((dds.get_width(), dds.get_height(), dds.get_num_mipmap_levels()), (width, height, levels));
    assert!(dds.data == layers.concat(), "{format:?}");
}

#[test]
fn every_format_has_a_number_that_says_the_same() {
    for &format in Format::ALL {
        let texture =
            afterimage_stream::packets::CreateTexture::plain(afterimage_stream::ObjectId::NONE, format, [12, 8]);
        let Some(mut bytes) = afterimage_inspect::dds_header(&texture, format) else {
            assert!(!format.is_depth() && format.info().block == 1, "{format:?}");
            continue;
        };
        assert_eq!(bytes.len(), 4 + 124 + 20);
        bytes.resize(bytes.len() + format.packed_size(12, 8) as usize, 0);
        let dds = ddsfile::Dds::read(&bytes[..]).expect("a file that others can read");
        let said = dds.get_dxgi_format().expect("a number");
        let Some(size) = dds.get_main_texture_size() else { continue };
        assert_eq!(u64::from(size), format.packed_size(12, 8), "{format:?} is said as {said:?}");
    }
}
