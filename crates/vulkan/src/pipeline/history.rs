//! Known pipelines: what a program drew with in its last runs, so that workers can make it before it is asked for.
//!
//! A file per program and device. It holds no guest code: shaders are named by the hash of their code and the state
//! around them, and come from the shader cache, or from the guest once it creates them. A file that does not fit is
//! ignored with a warning and written anew. A new program's file takes the place of the one that was unused for longest,
//! where there are many.

use crate::device::gpu::Gpu;
use crate::device::profile::Profile;
use crate::pipeline::key::{Attribute, Blend, Fixed, Spec, TargetFormats, VertexLayout};
use crate::pipeline::raster::Raster;
use crate::pipeline::shaders::Identity;
use afterimage_shader::{RuntimeInfo, store};
use afterimage_stream::packets::BlendTarget;
use afterimage_stream::{Format, FormatFeatures, VERTEX_BUFFERS, VertexFormat};
use ash::vk;
use bytemuck::{Pod, Zeroable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: [u8; 8] = *b"AFTRKNOW";

const FORMAT: u64 = 3;

/// Larger files are not ours.
const MOST_BYTES: u64 = 64 << 20;

/// Pipelines that are kept. A large game has a few thousand.
const MOST: usize = 1 << 14;

/// Programs (each on each device) that are known. A file is 100 bytes to a few megabytes.
const MOST_PROGRAMS: usize = 256;

/// How the files' names begin.
const PREFIX: &str = "known-";

/// Runs without use after which a pipeline is forgotten.
const MOST_UNUSED: u32 = 16;

/// What one pipeline is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PipelineRecord {
    pub(crate) vertex: Identity,
    pub(crate) pixel: Option<Identity>,
    pub(crate) fixed: Fixed,
    /// Runs since a draw used it.
    pub(crate) unused: u32,
}

/// The file of a program.
#[derive(Clone)]
pub(crate) struct File {
    path: PathBuf,
    /// [`fingerprint`].
    device: u64,
}

/// What the file of a program held.
pub(crate) struct History {
    pub(crate) file: File,
    pub(crate) pipelines: Vec<PipelineRecord>,
    /// States that each shader was used in, by the hash of its code.
    pub(crate) states: FxHashMap<u128, Vec<RuntimeInfo>>,
    /// Numbers of the pipelines that each shader is part of, likewise.
    pub(crate) users: FxHashMap<u128, Vec<u32>>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    format: u64,
    /// Hash of everything about device, driver and this build that pipelines depend on.
    device: u64,
    /// Shaders and pipelines that follow.
    shaders: u32,
    pipelines: u32,
    /// Bytes that follow, and their hash.
    size: u64,
    checksum: u64,
}

/// A shader; its number is its place.
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct RawShader {
    code: [u8; 16],
    runtime: RuntimeInfo,
}

/// A pipeline, before its attributes and bindings.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawPipeline {
    vertex: u32,
    /// [`NONE`] where there is no pixel shader.
    pixel: u32,
    unused: u32,
    sample_mask: u32,
    raster: u32,
    spec: u32,
    colors: [i32; 8],
    depth: i32,
    samples: u32,
    /// Enable, equation, masks, number of targets that have their own.
    blend: [u8; 16],
    /// Of those targets.
    each: [BlendTarget; 8],
    attributes: u32,
    bindings: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawAttribute {
    location: u32,
    binding: u32,
    format: i32,
    offset: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawBinding {
    binding: u32,
    per_instance: u32,
    divisor: u32,
}

const NONE: u32 = u32::MAX;

/// Why a file is not used.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Unusable {
    #[error("it is no file of known pipelines")]
    Foreign,
    #[error("another version of Afterimage, another driver or other settings wrote it")]
    Other,
    #[error("it is damaged")]
    Damaged,
}

/// Hash of everything about device, driver and this build that pipelines depend on.
fn fingerprint(gpu: &Gpu) -> u64 {
    // SAFETY: the physical device is the one opened.
    let properties = unsafe { gpu.instance.raw.get_physical_device_properties(gpu.physical) };
    let p = &gpu.profile;
    let mut hash = Xxh3::new();
    hash.update(&properties.pipeline_cache_uuid);
    hash.update(&afterimage_shader::compiler().to_le_bytes());
    let switches = (p.bindless.is_some(), p.dynamic_state3, p.fill_modes, p.depth_clamp, p.divisor, p.draw_records);
    hash.update(format!("{switches:?} {} {} {}", p.dual_source, p.independent_blend, p.clip_distance).as_bytes());
    let lines = (p.rectangular_lines, p.bresenham_lines, p.smooth_lines);
    let raster = (p.dynamic_logic_op, p.logic_op, p.provoking_last, p.geometry_shader);
    hash.update(format!("{raster:?} {lines:?} {:?}", p.shaders).as_bytes());
    hash.update(p.driver.as_bytes());
    hash.digest()
}

impl History {
    /// Reads what is known of a program.
    pub(crate) fn load(gpu: &Gpu, dir: &Path, program: &str) -> Self {
        let device = fingerprint(gpu);
        // The name tells a person whose file it is; the number tells programs of like names, and devices, apart.
        let plain = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let plain: String = plain.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let number = xxh3_64(program.as_bytes()) ^ device;
        let path = dir.join(format!("{PREFIX}{plain}-{number:016x}.bin"));
        let mut history = Self {
            pipelines: read(&path, device, &gpu.profile),
            file: File { path, device },
            states: FxHashMap::default(),
            users: FxHashMap::default(),
        };
        for (number, known) in history.pipelines.iter().enumerate() {
            for identity in std::iter::once(known.vertex).chain(known.pixel) {
                let states = history.states.entry(identity.code).or_default();
                if !states.contains(&identity.runtime) {
                    states.push(identity.runtime);
                }
                history.users.entry(identity.code).or_default().push(number as u32);
            }
        }
        history
    }

    /// Writes what draws used, and what they did not but earlier runs did. Trouble is logged and does no harm.
    pub(crate) fn store(file: &File, profile: &Profile, used: Vec<PipelineRecord>) {
        // Another process may have written in the meantime: what it used is as new as what this one did.
        let before = read(&file.path, file.device, profile);
        let all = merge(used, before);
        if all.is_empty() {
            return;
        }
        let new = !file.path.exists();
        if let Err(error) = store::write(&file.path, &[&encode(&all, file.device)]) {
            tracing::warn!("{}: {error}; the known pipelines are not kept", file.path.display());
        } else if new && let Some(dir) = file.path.parent() {
            store::prune_kind(dir, PREFIX, MOST_PROGRAMS);
        }
    }
}

/// What is known after a run that used some of what was known before.
fn merge(mut used: Vec<PipelineRecord>, before: Vec<PipelineRecord>) -> Vec<PipelineRecord> {
    let parts = |known: &PipelineRecord| (known.vertex, known.pixel, known.fixed.clone());
    let seen: FxHashSet<_> = used.iter().map(parts).collect();
    let others = before.into_iter().filter(|known| !seen.contains(&parts(known)));
    used.extend(
        others.map(|known| PipelineRecord { unused: known.unused + 1, ..known }).filter(|k| k.unused <= MOST_UNUSED),
    );
    // The used stay in the order of their first draw, which is the order that the next run wants them in.
    used.sort_by_key(|known| known.unused);
    used.truncate(MOST);
    used
}

fn read(path: &Path, device: u64, profile: &Profile) -> Vec<PipelineRecord> {
    let read = || {
        let file = std::fs::File::open(path)?;
        store::mark_used(&file);
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes: std::io::Result<Vec<u8>> = read();
    match bytes.map(|bytes| decode(&bytes, device)) {
        Ok(Ok(mut known)) => {
            known.retain(|known| known.fits(profile));
            known
        }
        Ok(Err(why)) => {
            tracing::warn!("{}: ignored, {why}; it will be written anew", path.display());
            Vec::new()
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            tracing::warn!("{}: {error}; no pipelines are known", path.display());
            Vec::new()
        }
    }
}

fn encode(all: &[PipelineRecord], device: u64) -> Vec<u8> {
    let mut shaders: Vec<RawShader> = Vec::new();
    let mut numbers: FxHashMap<Identity, u32> = FxHashMap::default();
    let mut body = Vec::new();
    let mut number = |identity: &Identity| {
        *numbers.entry(*identity).or_insert_with(|| {
            shaders.push(RawShader { code: identity.code.to_le_bytes(), runtime: identity.runtime });
            shaders.len() as u32 - 1
        })
    };
    for known in all {
        let Fixed { layout, targets, blend, sample_mask, raster, spec } = &known.fixed;
        let mut blending = [0; 16];
        blending[0] = blend.enable.into();
        blending[1..7].copy_from_slice(&blend.equation);
        blending[7..15].copy_from_slice(&blend.masks);
        blending[15] = blend.each.len() as u8;
        let mut each = [BlendTarget::default(); 8];
        each[..blend.each.len()].copy_from_slice(&blend.each);
        let raw = RawPipeline {
            vertex: number(&known.vertex),
            pixel: known.pixel.as_ref().map_or(NONE, &mut number),
            unused: known.unused,
            sample_mask: *sample_mask,
            raster: raster.bits(),
            spec: spec.bits(),
            colors: targets.colors.map(vk::Format::as_raw),
            depth: targets.depth.as_raw(),
            samples: targets.samples,
            blend: blending,
            each,
            attributes: layout.attributes.len() as u32,
            bindings: layout.bindings.len() as u32,
        };
        body.extend_from_slice(bytemuck::bytes_of(&raw));
        for &Attribute { location, binding, format, offset } in &layout.attributes {
            let raw = RawAttribute { location, binding, format: format.as_raw(), offset };
            body.extend_from_slice(bytemuck::bytes_of(&raw));
        }
        for &(binding, divisor) in &layout.bindings {
            let raw =
                RawBinding { binding, per_instance: divisor.is_some().into(), divisor: divisor.unwrap_or_default() };
            body.extend_from_slice(bytemuck::bytes_of(&raw));
        }
    }
    let mut payload: Vec<u8> = bytemuck::cast_slice(&shaders).to_vec();
    payload.extend_from_slice(&body);
    let header = Header {
        magic: MAGIC,
        format: FORMAT,
        device,
        shaders: shaders.len() as u32,
        pipelines: all.len() as u32,
        size: payload.len() as u64,
        checksum: xxh3_64(&payload),
    };
    let mut file = bytemuck::bytes_of(&header).to_vec();
    file.extend_from_slice(&payload);
    file
}

/// Takes a value off the front.
fn take<T: Pod>(bytes: &mut &[u8]) -> Option<T> {
    let (front, rest) = bytes.split_at_checked(size_of::<T>())?;
    *bytes = rest;
    Some(bytemuck::pod_read_unaligned(front))
}

fn decode(mut bytes: &[u8], device: u64) -> Result<Vec<PipelineRecord>, Unusable> {
    let header: Header = take(&mut bytes).ok_or(Unusable::Foreign)?;
    if header.magic != MAGIC {
        return Err(Unusable::Foreign);
    }
    if (header.format, header.device) != (FORMAT, device) {
        return Err(Unusable::Other);
    }
    if header.size != bytes.len() as u64 || header.checksum != xxh3_64(bytes) {
        return Err(Unusable::Damaged);
    }
    decode_body(bytes, header.shaders, header.pipelines).ok_or(Unusable::Damaged)
}

fn decode_body(mut bytes: &[u8], shaders: u32, pipelines: u32) -> Option<Vec<PipelineRecord>> {
    let (table, rest) = bytes.split_at_checked(size_of::<RawShader>().checked_mul(shaders as usize)?)?;
    bytes = rest;
    let shader = |number: u32| {
        let at = size_of::<RawShader>().checked_mul(number as usize)?;
        let raw: RawShader = take(&mut table.get(at..)?)?;
        Some(Identity { code: u128::from_le_bytes(raw.code), runtime: raw.runtime })
    };
    let mut all = Vec::new();
    for _ in 0..pipelines {
        let raw: RawPipeline = take(&mut bytes)?;
        let mut layout = VertexLayout::default();
        for _ in 0..raw.attributes {
            let RawAttribute { location, binding, format, offset } = take(&mut bytes)?;
            layout.attributes.push(Attribute { location, binding, format: vk::Format::from_raw(format), offset });
        }
        for _ in 0..raw.bindings {
            let raw: RawBinding = take(&mut bytes)?;
            layout.bindings.push((raw.binding, (raw.per_instance != 0).then_some(raw.divisor)));
        }
        let [enable, blend @ .., own] = raw.blend;
        let (equation, masks) = blend.split_at(6);
        all.push(PipelineRecord {
            vertex: shader(raw.vertex)?,
            pixel: if raw.pixel == NONE { None } else { Some(shader(raw.pixel)?) },
            fixed: Fixed {
                layout,
                targets: TargetFormats {
                    colors: raw.colors.map(vk::Format::from_raw),
                    depth: vk::Format::from_raw(raw.depth),
                    samples: raw.samples,
                },
                blend: Blend {
                    enable: enable != 0,
                    equation: equation.try_into().ok()?,
                    masks: masks.first_chunk().copied()?,
                    each: raw.each.get(..own.into())?.iter().copied().collect(),
                },
                sample_mask: raw.sample_mask,
                raster: Raster::from_bits(raw.raster),
                spec: Spec::from_bits(raw.spec)?,
            },
            unused: raw.unused,
        });
    }
    bytes.is_empty().then_some(all)
}

impl PipelineRecord {
    /// Whether a device can be asked for this. A file with a right checksum says nothing else, unless somebody has
    /// written it by hand; but what Vulkan is asked for must be right whoever wrote it.
    fn fits(&self, profile: &Profile) -> bool {
        let Fixed { layout, targets, .. } = &self.fixed;
        let has = |format: vk::Format, feature: u32| {
            let choices = Format::ALL.iter().map(|&format| profile.choice(format));
            format == vk::Format::UNDEFINED
                || choices.into_iter().any(|c| c.format == format && c.features & feature != 0)
        };
        let slots = VERTEX_BUFFERS as u32;
        let binding = |number: u32| layout.bindings.iter().filter(|(other, _)| *other == number).count() == 1;
        let vertex = |format| VertexFormat::ALL.iter().any(|&other| crate::device::format::vertex(other) == format);
        let locations = layout.attributes.iter().fold(0u64, |mask, a| mask | 1 << (a.location & 63));
        targets.colors.iter().all(|&format| has(format, FormatFeatures::TARGET))
            && has(targets.depth, FormatFeatures::DEPTH)
            && matches!(targets.samples, 0 | 1 | 2 | 4 | 8 | 16)
            && self.fixed.raster.fits(profile)
            && self.fixed.blend.each.iter().all(|target| target.write_mask < 16)
            && (profile.independent_blend || self.fixed.blend.each.windows(2).all(|pair| pair[0] == pair[1]))
            && layout.attributes.len() <= 32
            && locations.count_ones() as usize == layout.attributes.len()
            && layout.bindings.iter().all(|&(number, _)| number <= slots && binding(number))
            && layout
                .attributes
                .iter()
                .all(|a| a.location < 32 && binding(a.binding) && vertex(a.format) && a.offset < 2048)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    fn known(number: u8) -> PipelineRecord {
        let mut runtime = RuntimeInfo::default();
        runtime.textures[usize::from(number % 20)] = number;
        let attribute = |location| Attribute {
            location,
            binding: 0,
            format: vk::Format::R32G32_SFLOAT,
            offset: u32::from(number) + location,
        };
        PipelineRecord {
            vertex: Identity { code: 1 << number, runtime },
            pixel: (!number.is_multiple_of(3)).then_some(Identity { code: 7, runtime }),
            fixed: Fixed {
                layout: VertexLayout {
                    attributes: (0..u32::from(number % 4)).map(attribute).collect(),
                    bindings: smallvec![(0, number.is_multiple_of(2).then_some(3))],
                },
                targets: TargetFormats { depth: vk::Format::D16_UNORM, samples: 1, ..TargetFormats::default() },
                blend: Blend {
                    enable: number.is_multiple_of(2),
                    equation: [number; 6],
                    masks: [3; 8],
                    each: (0..number % 9)
                        .map(|src_color| BlendTarget { src_color, ..BlendTarget::default() })
                        .collect(),
                },
                sample_mask: u32::MAX,
                raster: Raster::from_bits(2),
                spec: Spec::new(3, number % 8, 1),
            },
            unused: number.into(),
        }
    }

    #[test]
    fn only_a_whole_file_of_the_same_device_is_taken() {
        let all: Vec<PipelineRecord> = (0..9).map(known).collect();
        let good = encode(&all, 5);
        assert_eq!(decode(&good, 5).as_ref(), Ok(&all));
        assert_eq!(decode(&good, 6), Err(Unusable::Other));
        assert_eq!(decode(b"AFTRPIP1 and something else that is quite a bit longer", 5), Err(Unusable::Foreign));
        for len in 0..good.len() {
            assert!(decode(&good[..len], 5).is_err(), "{len} bytes");
        }
        for at in 0..good.len() {
            for bit in [1, 0x10, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= bit;
                assert!(decode(&bad, 5).is_err(), "byte {at}");
            }
        }
    }

    #[test]
    fn what_is_not_used_is_forgotten_in_the_end() {
        let [a, b, c] = [0, 1, 2].map(|n| PipelineRecord { unused: 0, ..known(n) });
        let after =
            merge(vec![b.clone(), a.clone()], vec![a.clone(), PipelineRecord { unused: 3, ..c.clone() }, b.clone()]);
        assert_eq!(after, [b.clone(), a, PipelineRecord { unused: 4, ..c.clone() }]);
        assert_eq!(merge(vec![b.clone()], vec![PipelineRecord { unused: MOST_UNUSED, ..c }]), [b]);
    }

    #[test]
    fn what_passes_the_checksum_may_still_be_nonsense() {
        let good = encode(&(0..9).map(known).collect::<Vec<_>>(), 5);
        let (shaders, body) = (u32::from_le_bytes(*good[24..].first_chunk().unwrap()), &good[size_of::<Header>()..]);
        for at in 0..body.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bad = body.to_vec();
                bad[at] = value;
                // Neither a panic nor more than the bytes hold.
                for count in [0, 1, 9, u32::MAX] {
                    assert!(decode_body(&bad, shaders, count).is_none_or(|all| all.len() <= 9));
                    assert!(decode_body(&bad, count, 9).is_none_or(|all| all.len() <= 9));
                }
            }
        }
    }
}
