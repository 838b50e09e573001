//! Draws captures on the software Metal, and on Vulkan where there is a driver: `cargo run -p afterimage-metal --example replay -- FILE...`
//! says of each how many pictures, draws and errors there were, and of every picture how many pixels differ, and by how much. With
//! `--out=DIR` before the files, pictures are written there: ours, Vulkan's, and white where they differ by more than 16.

use afterimage_capture::Reader;
use afterimage_metal::{Options, Renderer};
use afterimage_metal_calls::Family;
use afterimage_metal_soft::SoftDevice;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Frame, size, texels.
type Picture = (u64, [u32; 2], Vec<u8>);
type Pictures = Arc<Mutex<Vec<Picture>>>;

fn metal(file: &Path) -> Vec<Picture> {
    let mut renderer = Renderer::new(SoftDevice::new(Family::Apple7), Options::default()).expect("a renderer");
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        let size = [picture.width, picture.height];
        sink.lock().expect("no panic").push((picture.frame, size, picture.rgba.to_vec()));
    })));
    match Reader::open(file).map(|mut reader| renderer.replay(&mut reader)) {
        Ok(Ok(replayed)) => println!("{}: {replayed:?}", file.display()),
        Ok(Err(error)) => println!("{}: {error}", file.display()),
        Err(error) => println!("{}: {error}", file.display()),
    }
    let (faults, count) = renderer.faults();
    println!("  {count} faults, {} shaders failed", renderer.shader_failures());
    faults.iter().take(10).for_each(|fault| println!("    {fault}"));
    std::mem::take(&mut *pictures.lock().expect("no panic"))
}

fn vulkan(file: &Path) -> Option<Vec<Picture>> {
    let options = afterimage_vulkan::Options { cache_dir: None, ..afterimage_vulkan::Options::default() };
    let mut renderer = afterimage_vulkan::Renderer::new(options).inspect_err(|error| println!("  {error}")).ok()?;
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        let size = [picture.width, picture.height];
        sink.lock().expect("no panic").push((picture.frame, size, picture.rgba.to_vec()));
    })));
    let replayed = renderer.replay(&mut Reader::open(file).ok()?);
    println!("  Vulkan: {replayed:?}");
    Some(std::mem::take(&mut *pictures.lock().expect("no panic")))
}

fn write(path: &Path, [width, height]: [u32; 2], rgba: &[u8]) {
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let file = std::fs::File::create(path).expect("a file");
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&rgb)).expect("a picture");
}

fn main() {
    tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::WARN).init();
    let mut out = None;
    for file in std::env::args().skip(1) {
        if let Some(folder) = file.strip_prefix("--out=") {
            out = Some(std::path::PathBuf::from(folder));
            continue;
        }
        let file = Path::new(&file);
        let ours = metal(file);
        let Some(theirs) = vulkan(file) else { continue };
        for ((frame, size, own), (_, other_size, other)) in ours.iter().zip(&theirs) {
            if let Some(folder) = &out {
                let name = file.file_stem().unwrap_or_default().to_string_lossy();
                let apart = |(one, two): (&[u8], &[u8])| one.iter().zip(two).any(|(a, b)| a.abs_diff(*b) > 16);
                let mask =
                    own.chunks_exact(4).zip(other.chunks_exact(4)).flat_map(|both| [255 * u8::from(apart(both)); 4]);
                let mask: Vec<u8> = mask.collect();
                for (what, texels) in [("metal", own), ("vulkan", other), ("apart", &mask)] {
                    write(&folder.join(format!("{name}-{frame}-{what}.png")), *size, texels);
                }
            }
            if size != other_size {
                println!("  frame {frame}: {size:?} instead of {other_size:?}");
                continue;
            }
            let most = |(one, two): (&[u8], &[u8])| one.iter().zip(two).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            let differences: Vec<u8> = own.chunks_exact(4).zip(other.chunks_exact(4)).map(most).collect();
            let over = |limit: u8| differences.iter().filter(|difference| **difference > limit).count();
            println!(
                "  frame {frame}: {size:?}, {} pixels differ, {} by more than 2, {} by more than 16",
                over(0),
                over(2),
                over(16)
            );
        }
        if ours.len() != theirs.len() {
            println!("  {} pictures instead of {}", ours.len(), theirs.len());
        }
    }
}
