//! Resources of the corpus in guest memory: images lie there as their descriptors say, all else as it is.

use afterimage_gcn_corpus::Resource;
use afterimage_gcn_corpus::header::{Image, Shape};
use afterimage_texture::gnm::{Description, Layout, Pitch, Slices};

/// Where an image's texels lie in memory, level by level as the descriptors of the world say.
fn layout(image: Image) -> Layout {
    let [width, height, depth] = image.size;
    let description = Description {
        layers: image.layers,
        levels: image.levels,
        depth: if image.shape == Shape::D3 { depth } else { 1 },
        pitch: image.pitch(),
        ..Description::flat(8, image.format.bytes * 8, width, height)
    };
    Layout::new(&description).unwrap_or_else(|error| panic!("{image:?}: {error}"))
}

/// Copies each level between memory and packed lines.
fn each_level(image: Image, mut copy: impl FnMut(&Layout, &Slices, Pitch, std::ops::Range<usize>)) {
    let layout = layout(image);
    let mut at = 0;
    for level in 0..image.levels {
        let [width, height, depth] = image.level(level);
        let slices = if image.shape == Shape::D3 { depth } else { image.layers };
        let line = (width * image.format.bytes) as usize;
        let slice = line * height as usize;
        let size = slice * slices as usize;
        let part = Slices { level, slices: 0..slices, sample: 0 };
        copy(&layout, &part, Pitch { line, slice }, at..at + size);
        at += size;
    }
}

/// What a resource's words are in memory.
pub(crate) fn in_memory(resource: &Resource, words: &[u32]) -> Vec<u8> {
    let packed: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let Some(image) = resource.image() else { return packed };
    let mut bytes = vec![0; layout(image).bytes as usize];
    each_level(image, |layout, part, pitch, range| layout.tile(part, &packed[range], pitch, &mut bytes).unwrap());
    bytes
}

/// The words of a resource, of what memory has.
pub(crate) fn of_memory(resource: &Resource, bytes: &[u8]) -> Vec<u32> {
    let mut packed = bytes[..(resource.bytes as usize).min(bytes.len())].to_vec();
    if let Some(image) = resource.image() {
        packed = vec![0; resource.bytes as usize];
        each_level(image, |layout, part, pitch, range| {
            layout.detile(part, bytes, &mut packed[range], pitch).unwrap();
        });
    }
    packed.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
