//! Samplers: how a stage's texture is looked up. Source: `docs/sources/nv2a.md#textures`.

use super::Translator;
use super::textures::Key;
use afterimage_nv2a_types::enums::{ADDRESS, MAG_FILTER, MIN_FILTER};
use afterimage_nv2a_types::{Registers, STAGES, method};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures, ObjectId, ObjectKind, Port};
use rustc_hash::FxHashMap;

/// Samplers by their description without the id.
#[derive(Debug, Default)]
pub(super) struct Samplers {
    known: FxHashMap<[u64; 6], ObjectId>,
}

impl Samplers {
    /// Samplers that are kept. Border colours and biases can have any value.
    const MOST: usize = 1024;

    /// The receiver is gone, and with it every sampler.
    pub(super) fn forget(&mut self, port: &mut Port) {
        self.known.drain().for_each(|(_, id)| port.recycle(id));
    }
}

/// An address mode. OpenGL's clamp, which mixes the border in, is taken as a clamp to the edge, as the console's pictures
/// show it.
fn address(mode: u32) -> Address {
    ADDRESS::of(mode & 0xF).unwrap_or(Address::Repeat)
}

/// `SET_TEXTURE_FILTER`'s filter when minifying: that within a level, and that between levels if there is one. A convolution
/// mixes texels in the pixel shader.
fn minification(filter: u32) -> (Filter, Option<Filter>) {
    use Filter::{Linear, Nearest};
    match filter {
        MIN_FILTER::TENT_LOD0 => (Linear, None),
        MIN_FILTER::BOX_NEARESTLOD => (Nearest, Some(Nearest)),
        MIN_FILTER::TENT_NEARESTLOD => (Linear, Some(Nearest)),
        MIN_FILTER::BOX_TENT_LOD => (Nearest, Some(Linear)),
        MIN_FILTER::TENT_TENT_LOD => (Linear, Some(Linear)),
        _ => (Nearest, None),
    }
}

/// A number of 13 bits with eight of them behind the point, as two's complement.
fn bias(bits: u32) -> f32 {
    ((bits << 19) as i32 >> 19) as f32 / 256.0
}

/// What a stage's registers ask for.
fn describe(registers: &Registers, stage: u16, filters: bool, stored_border: bool) -> CreateSampler {
    let get = |method: u16| registers.get(method + 0x40 * stage);
    let (modes, control0) = (get(method::SET_TEXTURE_ADDRESS), get(method::SET_TEXTURE_CONTROL0));
    let filter = get(method::SET_TEXTURE_FILTER);
    let (min, mip) = minification(filter >> 16 & 0xFF);
    let mag = if filter >> 24 & 0xF == MAG_FILTER::TENT_LOD0 { Filter::Linear } else { Filter::Nearest };
    let pick = |wanted: Filter| if filters { wanted } else { Filter::Nearest } as u8;
    // Beyond a border of the texture's own its last texels go on.
    let address = [0, 8, 16].map(|at| if stored_border { Address::ClampToEdge } else { address(modes >> at) });
    let lod = |bits: u32| (bits & 0xFFF) as f32 / 256.0;
    let color = get(method::SET_TEXTURE_BORDER_COLOR);
    let uses_border = address.contains(&Address::ClampToBorder);
    CreateSampler {
        id: ObjectId::NONE,
        mag: pick(mag),
        min: pick(min),
        mip: pick(mip.unwrap_or(Filter::Nearest)),
        mipmapped: mip.is_some().into(),
        address: address.map(|address| address as u8),
        compare_enable: 0,
        compare: Compare::Never as u8,
        srgb: 0,
        gather: 0,
        flags: 0,
        lod_bias: bias(filter & 0x1FFF),
        min_lod: lod(control0 >> 18),
        max_anisotropy: if filters && min == Filter::Linear { (1 << (control0 >> 4 & 3)) as f32 } else { 1.0 },
        border: if uses_border { [16, 8, 0, 24].map(|at| (color >> at & 0xFF) as f32 / 255.0) } else { [0.0; 4] },
        max_lod: lod(control0 >> 6),
    }
}

impl Translator {
    /// The sampler of a stage for its texture, without an id.
    fn description(&self, registers: &Registers, stage: u16, key: &Key) -> CreateSampler {
        let filters = key.host_format().is_some_and(|format| {
            format != Format::R32_SFLOAT && self.port.device().features(format) & FormatFeatures::LINEAR != 0
        });
        let mut packet = describe(registers, stage, filters, key.has_stored_border());
        if key.host_format() == Some(Format::R16G16B16A16_UNORM) {
            // Signed components are raised in the texture.
            for (border, _) in packet.border.iter_mut().zip(key.signs().rgba()).filter(|(_, signed)| *signed) {
                *border = 0.5 + 0.5 * *border;
            }
        }
        packet
    }

    /// The sampler of a stage for its texture, if there is one already.
    pub(super) fn known_sampler(&self, registers: &Registers, stage: u16, key: &Key) -> Option<ObjectId> {
        let known: [u64; 6] = bytemuck::cast(self.description(registers, stage, key));
        self.samplers.known.get(&known).copied()
    }

    /// The sampler of a stage for its texture.
    pub(super) fn sampler(&mut self, registers: &Registers, stage: u16, key: &Key) -> ObjectId {
        let mut packet = self.description(registers, stage, key);
        let known: [u64; 6] = bytemuck::cast(packet);
        if let Some(id) = self.samplers.known.get(&known) {
            return *id;
        }
        match self.port.allocate(ObjectKind::Sampler) {
            Ok(id) => {
                packet.id = id;
                self.port.push(&packet);
                self.samplers.known.insert(known, id);
                id
            }
            Err(error) => {
                self.once.warn(format!("sampler: {error}"));
                ObjectId::NONE
            }
        }
    }

    /// Takes every sampler out of its binding and destroys it, unless there is room for one more of each stage. Not while stages
    /// are looked up: those before would keep what is destroyed.
    pub(super) fn make_room_for_samplers(&mut self) {
        if self.samplers.known.len() + STAGES <= Samplers::MOST {
            return;
        }
        for (slot, binding) in self.sent.textures.iter_mut().enumerate().filter(|(_, b)| !b.sampler.is_none()) {
            *binding = TextureBinding::default();
            self.port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[*binding]);
        }
        for (_, id) in self.samplers.known.drain() {
            self.port.destroy(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biases_are_signed() {
        assert_eq!(bias(0x100), 1.0);
        assert_eq!(bias(0x1FFF), -1.0 / 256.0);
        assert_eq!(bias(0x1000), -16.0);
    }

    #[test]
    fn registers_become_a_sampler() {
        let mut registers = Registers::new();
        registers.set(method::SET_TEXTURE_ADDRESS + 0x40, 0x0004_0302);
        registers.set(method::SET_TEXTURE_CONTROL0 + 0x40, 1 << 30 | 0x080 << 18 | 0x480 << 6 | 2 << 4);
        registers.set(method::SET_TEXTURE_FILTER + 0x40, 2 << 24 | 4 << 16 | 0x1F00);
        registers.set(method::SET_TEXTURE_BORDER_COLOR + 0x40, 0x33FF_00CC);
        let sampler = describe(&registers, 1, true, false);
        assert_eq!([sampler.mag, sampler.min, sampler.mip, sampler.mipmapped], [1, 1, 0, 1]);
        assert_eq!(sampler.address, [Address::Mirror as u8, Address::ClampToEdge as u8, Address::ClampToBorder as u8]);
        assert_eq!((sampler.lod_bias, sampler.min_lod, sampler.max_lod), (-1.0, 0.5, 4.5));
        assert_eq!((sampler.max_anisotropy, sampler.border), (4.0, [1.0, 0.0, 0.8, 0.2]));
        let unfiltered = describe(&registers, 1, false, true);
        assert_eq!([unfiltered.mag, unfiltered.min, unfiltered.mip], [0; 3]);
        assert_eq!(unfiltered.address, [Address::ClampToEdge as u8; 3]);
    }
}
