//! Textures and samplers. Managed and dynamic textures are uploaded here, when a draw first needs what a lock wrote.

use crate::driver::Device;
use crate::error::Result;
use crate::format::color;
use crate::handle::ImageId;
use crate::machine::{DeviceState, SamplerStates as S};
use crate::memory::Image;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures, ObjectId, ObjectKind, TEXTURE_SLOTS};

/// What of a texture its sampler depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SamplerClass {
    compares: bool,
    /// The format cannot be filtered.
    nearest: bool,
    /// It has one channel, so that four texels fit into a lookup.
    single: bool,
    lod: u32,
}

/// `D3DSAMP_MIPMAPLODBIAS` that turns "Fetch-4" on, as ATI defined it; `GET1`, or a true bias, turns it off.
const GET4: u32 = u32::from_le_bytes(*b"GET4");

fn filter(value: u32) -> u8 {
    if value >= D3DTEXF_LINEAR { Filter::Linear as u8 } else { Filter::Nearest as u8 }
}

impl Device {
    fn sampler_class(&self, image: Option<&Image>) -> SamplerClass {
        let Some(image) = image else { return SamplerClass::default() };
        let linear = image.host.is_none_or(|host| self.port.device().features(host) & FormatFeatures::LINEAR != 0);
        // Drivers have no four texels of compressed formats.
        let single = image.host.is_some_and(Format::is_single_channel)
            && (image.row.swizzle[0] == Swizzle::Red as u8 || image.row.swizzle[3] == Swizzle::Red as u8)
            && !image.row.has_blocks();
        SamplerClass { compares: image.compares(), nearest: !linear, single, lod: image.lod }
    }

    /// The sampler for a slot's states, without an id.
    fn sampler(&self, slot: usize, class: SamplerClass) -> CreateSampler {
        let (states, overrides) = (&self.registers.samplers[slot], *self.registers.filtering);
        let min = states.get(S::D3DSAMP_MINFILTER);
        let mag = states.get(S::D3DSAMP_MAGFILTER);
        let mip = states.get(S::D3DSAMP_MIPFILTER);
        let address = [S::D3DSAMP_ADDRESSU, S::D3DSAMP_ADDRESSV, S::D3DSAMP_ADDRESSW].map(|state| {
            let mode = states.get(state).clamp(D3DTADDRESS_WRAP, D3DTADDRESS_MIRRORONCE);
            host::D3DTEXTUREADDRESS::of(mode).unwrap_or(Address::Repeat) as u8
        });
        // The user's choice is for what the program filters between levels.
        let forced = if min >= D3DTEXF_LINEAR && mip != D3DTEXF_NONE { overrides.anisotropy } else { 0 };
        let anisotropic = (min == D3DTEXF_ANISOTROPIC || mag == D3DTEXF_ANISOTROPIC || forced > 1) && !class.nearest;
        let limit = self.port.device().max_anisotropy.max(1.0);
        let bias = states.get_f32(S::D3DSAMP_MIPMAPLODBIAS);
        let bias = if bias.is_finite() { bias } else { 0.0 } + overrides.lod_bias;
        let border = if address.contains(&(Address::ClampToBorder as u8)) {
            color(states.get(S::D3DSAMP_BORDERCOLOR))
        } else {
            [0.0; 4]
        };
        let pick = |value| if class.nearest { Filter::Nearest as u8 } else { filter(value) };
        CreateSampler {
            id: ObjectId::NONE,
            mag: pick(mag),
            min: pick(min),
            mip: pick(mip),
            mipmapped: u8::from(mip != D3DTEXF_NONE),
            address,
            compare_enable: class.compares.into(),
            compare: if class.compares { Compare::LessEqual } else { Compare::Never } as u8,
            srgb: u8::from(states.get(S::D3DSAMP_SRGBTEXTURE) & 1 != 0),
            gather: u8::from(states.get(S::D3DSAMP_MIPMAPLODBIAS) == GET4 && class.single && !class.compares),
            lod_bias: if mip != D3DTEXF_NONE { bias.clamp(-15.0, 15.0) } else { 0.0 },
            // Without mip filter the texture's own limit counts alone.
            min_lod: match mip {
                D3DTEXF_NONE => class.lod,
                _ => states.get(S::D3DSAMP_MAXMIPLEVEL).max(class.lod),
            }
            .min(15) as f32,
            max_anisotropy: if anisotropic {
                let asked = if forced > 0 { forced } else { states.get(S::D3DSAMP_MAXANISOTROPY) };
                (asked.clamp(1, 16) as f32).min(limit)
            } else {
                1.0
            },
            border,
            max_lod: CreateSampler::EVERY_LEVEL,
            ..bytemuck::Zeroable::zeroed()
        }
    }

    /// The object of a sampler, made once.
    fn sampler_object(&mut self, mut packet: CreateSampler) -> Result<ObjectId> {
        let key: [u64; 6] = bytemuck::cast(packet);
        if let Some(&id) = self.host.samplers.get(&key) {
            return Ok(id);
        }
        packet.id = self.port.allocate(ObjectKind::Sampler)?;
        self.port.push(&packet);
        self.host.samplers.insert(key, packet.id);
        Ok(packet.id)
    }

    /// Bit per slot that the bound shaders read.
    fn used_slots(&self) -> u64 {
        let stages = &self.host.stages;
        u64::from(stages.pixel().samplers & 0xffff | (stages.vertex().samplers & 15) << 16)
    }

    /// Bit per slot whose texture, its texels or its sampler are others than they were when it was bound.
    fn changed_slots(&self) -> u64 {
        let changed = |kind| self.registers.tracker.instances(kind);
        changed(DeviceState::TEXTURE) | changed(DeviceState::TEXELS) | changed(DeviceState::SAMPLER)
    }

    #[inline(never)]
    pub(super) fn apply_textures(&mut self) -> Result<bool> {
        // Slots that no bound shader reads wait for one that does.
        let due = self.changed_slots() & self.used_slots();
        let mut slots = due;
        let samplers = self.registers.tracker.instances(DeviceState::SAMPLER);
        let mut run = [TextureBinding::default(); TEXTURE_SLOTS];
        let (mut first, mut count) = (0, 0);
        let (mut changed, mut failed) = (false, Ok(()));
        while slots != 0 {
            let slot = slots.trailing_zeros() as usize;
            let binding = match self.texture_binding(slot, samplers >> slot & 1 == 1) {
                Ok(binding) => binding,
                Err(error) => {
                    failed = Err(error);
                    break;
                }
            };
            slots &= slots - 1;
            if self.host.sent.textures[slot] == binding {
                continue;
            }
            self.host.sent.textures[slot] = binding;
            changed = true;
            if count > 0 && first + count != slot {
                let packet = SetTextures { first: first as u32, count: count as u32 };
                self.port.push_tail(&packet, &run[..count]);
                count = 0;
            }
            if count == 0 {
                first = slot;
            }
            run[count] = binding;
            count += 1;
        }
        for kind in [DeviceState::TEXTURE, DeviceState::TEXELS, DeviceState::SAMPLER] {
            self.registers.tracker.take_instances(kind, due & !slots);
        }
        if count > 0 {
            let packet = SetTextures { first: first as u32, count: count as u32 };
            self.port.push_tail(&packet, &run[..count]);
        }
        failed.map(|()| changed)
    }

    #[inline]
    fn slot_texture(&self, slot: usize) -> Option<&Image> {
        self.registers.textures[slot].and_then(|id| self.objects.images.get(id))
    }

    #[inline]
    fn texture_binding(&mut self, slot: usize, sampler_changed: bool) -> Result<TextureBinding> {
        if let Some(id) = self.registers.texture_with_texels(slot)
            && self.needs_upload(id)
        {
            self.upload_image(id);
        }
        let image = self.slot_texture(slot);
        let texture = image.map_or(ObjectId::NONE, |image| image.id);
        let class = self.sampler_class(image);
        if sampler_changed || self.host.slot_samplers[slot].is_none() || self.host.slot_classes[slot] != class {
            self.host.slot_samplers[slot] = self.sampler_object(self.sampler(slot, class))?;
            self.host.slot_classes[slot] = class;
        }
        Ok(TextureBinding { texture, sampler: self.host.slot_samplers[slot] })
    }

    /// Whether an image has texels here that the receiver does not have, or levels that are to be made of them.
    fn needs_upload(&self, id: ImageId) -> bool {
        self.objects.images.get(id).is_some_and(|image| image.stale || image.mips_stale) || self.is_outdated(id)
    }

    /// The first slot that is bound otherwise than it should be, or has texels that were not sent, of those that did not change.
    pub(super) fn stale_texture(&self) -> Option<String> {
        let clean = self.used_slots() & !self.changed_slots();
        // What the receiver could not be given comes when there is room, or another receiver.
        let waits = self.late || self.port.is_lost();
        (0..TEXTURE_SLOTS).filter(|slot| clean >> slot & 1 == 1).find_map(|slot| {
            let drawn_to = |id| self.registers.targets.iter().flatten().any(|target| target.image == id);
            let texels = self.registers.texture_with_texels(slot).filter(|id| self.needs_upload(*id) && !drawn_to(*id));
            if texels.is_some() && !waits {
                return Some(format!("new texels in slot {slot}"));
            }
            let image = self.slot_texture(slot);
            let key: [u64; 6] = bytemuck::cast(self.sampler(slot, self.sampler_class(image)));
            let wanted = TextureBinding {
                texture: image.map_or(ObjectId::NONE, |image| image.id),
                sampler: self.host.samplers.get(&key).copied().unwrap_or(ObjectId::NONE),
            };
            let sent = self.host.sent.textures[slot];
            (sent != wanted).then(|| format!("slot {slot}: {wanted:?} instead of {sent:?}"))
        })
    }
}
