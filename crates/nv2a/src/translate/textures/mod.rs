//! Textures: what memory holds, decoded, in host textures.
//!
//! A texture is known by where it lies and what it is ([`Key`]). It is decoded again when its memory or its palette has a new
//! generation. Where its memory is a surface whose pixels have the same bytes, the surface is looked up itself, or a copy of
//! it that the host makes.

mod from_memory;
mod from_surface;
mod key;

use super::Translator;
use super::groups::differs;
use crate::machine::Kelvin;
use crate::memory::GuestMemory;
use afterimage_nv2a_types::{STAGES, method};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, Port};
use afterimage_texture::nv2a::KeyMode;
use from_memory::Decoded;
use from_surface::Copied;
use rustc_hash::FxHashMap;

pub(super) use key::Key;

/// What a stage looks up: which texture, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stage {
    key: Option<Key>,
    sampler: ObjectId,
}

/// Every texture that lives, and what the stages look up.
#[derive(Debug, Default)]
pub(super) struct Textures {
    stages: [Stage; STAGES],
    decoded: FxHashMap<Key, Decoded>,
    copied: FxHashMap<Key, Copied>,
    /// Bytes of the host's textures in both.
    bytes: u64,
    /// Number of the draw.
    clock: u64,
    /// Room for decoding.
    texels: Vec<u8>,
}

impl Textures {
    /// Bytes of host textures that are kept.
    const MOST_BYTES: u64 = 384 << 20;
    /// Host textures that are kept.
    const MOST: usize = 4096;

    /// The receiver is gone, and with it every texture.
    pub(super) fn forget(&mut self, port: &mut Port) {
        let decoded = self.decoded.values().map(|texture| texture.id);
        decoded.chain(self.copied.values().map(|texture| texture.id)).for_each(|id| port.recycle(id));
        *self = Self { clock: self.clock, ..Self::default() };
    }
}

impl Translator {
    /// What a stage looks up by the registers.
    fn texture_key(&mut self, kelvin: &Kelvin, stage: u16) -> Option<Key> {
        let key = Key::of(kelvin, stage).unwrap_or_else(|error| {
            self.once.warn(format!("texture of stage {stage}: {error}"));
            None
        });
        let mode = KeyMode::from_control0(kelvin.registers.get(method::SET_TEXTURE_CONTROL0 + 0x40 * stage));
        if let Some(format) = key.filter(|key| !key.takes(mode)).and_then(|key| key.texture().ok()) {
            let name = format.format().info().name;
            self.once
                .warn(format!("SET_COLOR_KEY_COLOR, mode {mode:?}, of {name} is not supported: no texel equals it"));
        }
        key
    }

    /// Reads what the stages look up. True if that was something else.
    pub(super) fn apply_stages(&mut self, kelvin: &Kelvin) -> bool {
        self.make_room_for_samplers();
        let stages = std::array::from_fn(|stage| {
            let key = self.texture_key(kelvin, stage as u16);
            let sampler = key.map_or(ObjectId::NONE, |key| self.sampler(&kelvin.registers, stage as u16, &key));
            Stage { key, sampler }
        });
        std::mem::replace(&mut self.textures.stages, stages) != stages
    }

    /// What the stages look up now, where that is not what they do.
    pub(super) fn recompute_stages(&mut self, kelvin: &Kelvin) -> Option<String> {
        (0..STAGES).find_map(|stage| {
            let key = self.texture_key(kelvin, stage as u16);
            let held = self.textures.stages[stage];
            let sampler = key.and_then(|key| self.known_sampler(&kelvin.registers, stage as u16, &key));
            let same = sampler == Some(held.sampler) || held.sampler.is_none();
            differs(&held.key, &key).or_else(|| (!same).then(|| format!("the sampler of stage {stage}")))
        })
    }

    /// Binds what the stages look up, as it is now: memory and surfaces may have changed without the registers.
    pub(super) fn apply_textures(&mut self, memory: &mut dyn GuestMemory) {
        self.textures.clock += 1;
        for slot in 0..STAGES {
            let Stage { key, sampler } = self.textures.stages[slot];
            let texture = key.map_or(ObjectId::NONE, |key| self.texture(memory, &key));
            let binding = TextureBinding { texture, sampler };
            if !sampler.is_none() && self.sent.textures[slot] != binding {
                self.sent.textures[slot] = binding;
                self.port.push_tail(&SetTextures { first: slot as u32, count: 1 }, &[binding]);
            }
        }
        self.evict();
    }

    /// The host's texture for a key; none where it cannot be had.
    fn texture(&mut self, memory: &mut dyn GuestMemory, key: &Key) -> ObjectId {
        if let Some(id) = self.texture_of_surface(memory, key) {
            return id;
        }
        match self.texture_of_memory(memory, key) {
            Ok(id) => id,
            Err(error) => {
                self.once.warn(format!("texture at {:#010x}: {error}", key.address));
                ObjectId::NONE
            }
        }
    }

    /// Lets textures go that were not used for longest, except for those of this draw.
    fn evict(&mut self) {
        let textures = &self.textures;
        let many = textures.decoded.len() + textures.copied.len() > Textures::MOST;
        if textures.bytes <= Textures::MOST_BYTES && !many {
            return;
        }
        let decoded = textures.decoded.iter().map(|(key, texture)| (texture.used, *key, false));
        let copied = textures.copied.iter().map(|(key, texture)| (texture.used, *key, true));
        let mut oldest: Vec<_> = decoded.chain(copied).filter(|(used, ..)| *used != textures.clock).collect();
        oldest.sort_unstable_by_key(|(used, ..)| *used);
        // A half at a time, so that this is seldom done.
        let wanted = textures.bytes / 2;
        for (at, (_, key, is_copy)) in oldest.iter().enumerate() {
            if self.textures.bytes <= wanted && at >= oldest.len() / 2 {
                break;
            }
            let gone = if *is_copy {
                self.textures.copied.remove(key).map(|texture| (texture.id, texture.bytes))
            } else {
                self.textures.decoded.remove(key).map(|texture| (texture.id, texture.bytes))
            };
            if let Some((id, bytes)) = gone {
                self.textures.bytes -= bytes;
                self.destroy_texture(id);
            }
        }
    }
}
