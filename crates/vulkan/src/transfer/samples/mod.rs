//! Samples of multisampled textures as words, in which shaders read and write them.

pub(crate) mod pipelines;
pub(crate) mod shaders;

use crate::device::memory::Buffer;
use crate::transfer::depth;
use crate::transfer::readback::Copied;
use afterimage_stream::packets::UpdateTexture;
use afterimage_stream::{Arena, Format};
use ash::vk;
use bytemuck::{Pod, Zeroable};

/// What of a sample is moved at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A colour in so many words: 1, 2 or 4.
    Color(u32),
    /// Depth as a float.
    Depth,
    /// Stencil, a word of which 8 bits are used.
    Stencil,
}

impl Part {
    /// Words of memory that a sample takes.
    pub(crate) fn words(self) -> u32 {
        match self {
            Self::Color(words) => words,
            Self::Depth | Self::Stencil => 1,
        }
    }

    /// The parts of samples in an image of a format, which is one of [`image_format`].
    pub(crate) fn of(kind: vk::Format) -> &'static [Self] {
        match kind {
            vk::Format::R32G32B32A32_UINT => &[Self::Color(4)],
            vk::Format::R32G32_UINT => &[Self::Color(2)],
            vk::Format::R8_UINT | vk::Format::R16_UINT | vk::Format::R32_UINT => &[Self::Color(1)],
            _ if depth::has_stencil(kind) => &[Self::Depth, Self::Stencil],
            _ => &[Self::Depth],
        }
    }
}

/// The format of the image between a texture and memory: depth as it is, of colours their bits.
pub(crate) fn image_format(format: Format, kind: vk::Format) -> vk::Format {
    match (format.is_depth(), format.info().bytes) {
        (true, _) => kind,
        (_, 1) => vk::Format::R8_UINT,
        (_, 2) => vk::Format::R16_UINT,
        (_, 4) => vk::Format::R32_UINT,
        (_, 8) => vk::Format::R32G32_UINT,
        _ => vk::Format::R32G32B32A32_UINT,
    }
}

/// Every sample of a subresource.
pub(crate) enum Samples {
    /// In memory that the GPU is writing.
    Each(Words),
    /// The same for each, where the device does not give them out: the average, or the first of depth and integers.
    Resolved(Copied, u8),
}

/// Samples as [`shaders`] has them in memory, part after part.
pub(crate) struct Words {
    pub(crate) buffer: Buffer,
    pub(crate) format: Format,
    pub(crate) kind: vk::Format,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: u8,
    /// See [`crate::Profile::coarse_depth_reads`].
    pub(crate) coarse: bool,
}

impl Samples {
    /// Pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        match self {
            Self::Each(words) => [words.width, words.height],
            Self::Resolved(copied, _) => [copied.width, copied.height],
        }
    }

    /// The texels of each sample, rows packed, one sample of all pixels after the other, once the GPU is done.
    pub(crate) fn texels(&self) -> Vec<u8> {
        match self {
            Self::Each(words) => words.texels(),
            Self::Resolved(copied, samples) => copied.texels().repeat((*samples).into()),
        }
    }
}

impl Words {
    fn texels(&self) -> Vec<u8> {
        let count = self.width as usize * self.height as usize * usize::from(self.samples);
        let size = self.format.info().bytes as usize;
        if self.format.is_depth() {
            let floats = self.buffer.bytes(0, count * 4);
            let coarse = self.coarse;
            let depths: Vec<u8> = match self.kind {
                kind if has_24_bits(kind) => {
                    let floats = floats.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
                    floats.flat_map(|value| depth::depth_of_24(value, coarse).to_le_bytes()).collect()
                }
                _ => floats.to_vec(),
            };
            let stencils: Vec<u8> = match depth::has_stencil(self.kind) {
                true => self.buffer.bytes(count as u64 * 4, count * 4).iter().copied().step_by(4).collect(),
                false => Vec::new(),
            };
            let mut texels = vec![0; count * size];
            depth::join(self.format, in_words(self.kind), &depths, &stencils, &mut texels);
            return texels;
        }
        match size {
            1 | 2 => {
                self.buffer.bytes(0, count * 4).chunks_exact(4).flat_map(|word| word[..size].iter().copied()).collect()
            }
            _ => self.buffer.bytes(0, count * size).to_vec(),
        }
    }
}

pub(crate) fn has_24_bits(kind: vk::Format) -> bool {
    matches!(kind, vk::Format::D24_UNORM_S8_UINT | vk::Format::X8_D24_UNORM_PACK32)
}

/// The format of depth between its words and texels: floats but where those would be less exact.
pub(crate) fn in_words(kind: vk::Format) -> vk::Format {
    if has_24_bits(kind) { vk::Format::D24_UNORM_S8_UINT } else { vk::Format::D32_SFLOAT_S8_UINT }
}

/// The texels of an update, packed.
pub(crate) fn packed_texels(body: &UpdateTexture, format: Format, arena: &dyn Arena) -> Vec<u8> {
    let row = format.row_bytes(body.width);
    let rows = format.rows(body.height) as usize;
    let mut texels = vec![0; row as usize * rows * body.depth as usize];
    for (index, out) in texels.chunks_exact_mut(row as usize).enumerate() {
        let (z, y) = ((index / rows) as u64, (index % rows) as u64);
        let at = z * u64::from(body.slice_pitch) + y * u64::from(body.row_pitch);
        let Ok(at) = u32::try_from(at) else { break };
        let _inside = arena.copy_out(&body.data, at, out);
    }
    texels
}

pub(crate) fn aspects(kind: vk::Format) -> vk::ImageAspectFlags {
    match Part::of(kind) {
        [Part::Color(_)] => vk::ImageAspectFlags::COLOR,
        [Part::Depth, Part::Stencil] => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::DEPTH,
    }
}

pub(crate) fn subresource(aspects: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default().aspect_mask(aspects).level_count(1).layer_count(1)
}

/// Push constants of the shaders.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Push {
    /// Address of the first word.
    pub(crate) words: u64,
    /// Pixels.
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// The bit of stencil that is being written.
    pub(crate) bit: u32,
    pub(crate) pad: u32,
}

impl Push {
    /// Bytes to each member.
    pub(crate) const OFFSETS: [u32; 4] = [0, 8, 12, 16];
}
