//! Memory, textures and storage images.

use afterimage_ir::{AtomicOp, Component, Dim, ImageFormat, Imm, InstData, Offset, Op, TextureDecl, Type, Value};

use crate::environment::number;
use crate::races::Does;
use crate::run::{Run, cut};
use crate::{Lod, SampleArgs};

impl Run<'_> {
    /// An instruction that reads or changes memory, in one lane; nothing for those without a result.
    pub(crate) fn memory(&mut self, data: &InstData, lane: usize) -> Option<[u32; 4]> {
        let lanes = |value: Value| self.m.ty(value).lanes as usize;
        let place = self.bits(data.args[0], lane);
        let address = (u64::from(place[0]) | u64::from(place[1]) << 32) & !3;
        let offset = place[0] as usize / 4;
        let mut out = [0; 4];
        match (data.op, data.imm) {
            (Op::LoadGlobal, _) => {
                for (word, n) in out[..lanes(data.results[0])].iter_mut().zip(0..) {
                    *word = self.environment.load(address.wrapping_add(n * 4));
                }
            }
            (Op::LoadShared, _) => {
                for (word, n) in out[..lanes(data.results[0])].iter_mut().zip(0..) {
                    *word = self.shared.get(offset + n).copied().unwrap_or(0);
                    self.races.access(offset + n, lane, Does::Read);
                }
            }
            (Op::StoreGlobal, _) => {
                let value = self.bits(data.args[1], lane);
                for (&word, n) in value[..lanes(data.args[1])].iter().zip(0..) {
                    self.environment.store(address.wrapping_add(n * 4), word);
                }
                return None;
            }
            (Op::StoreShared, _) => {
                let value = self.bits(data.args[1], lane);
                let count = lanes(data.args[1]);
                for (&word, n) in value[..count].iter().zip(0..) {
                    if let Some(to) = self.shared.get_mut(offset + n) {
                        let changes = std::mem::replace(to, word) != word;
                        self.races.access(offset + n, lane, Does::Write { changes });
                    }
                }
                return None;
            }
            (Op::AtomicGlobal, Imm::Atomic(atomic)) => {
                let wide = lanes(data.results[0]) == 2;
                let address = if wide { address & !7 } else { address };
                let old = [self.environment.load(address), if wide { self.environment.load(address + 4) } else { 0 }];
                let new = self.atomic(atomic, old, &data.args[1..], lane, wide);
                self.environment.store(address, new[0]);
                if wide {
                    self.environment.store(address + 4, new[1]);
                }
                out[..2].copy_from_slice(&old);
            }
            (Op::AtomicShared, Imm::Atomic(atomic)) => {
                let wide = lanes(data.results[0]) == 2;
                let offset = if wide { offset & !1 } else { offset };
                let at = |n: usize| self.shared.get(offset + n).copied().unwrap_or(0);
                let old = [at(0), if wide { at(1) } else { 0 }];
                let new = self.atomic(atomic, old, &data.args[1..], lane, wide);
                for (&word, n) in new[..1 + usize::from(wide)].iter().zip(0..) {
                    if let Some(to) = self.shared.get_mut(offset + n) {
                        *to = word;
                        self.races.access(offset + n, lane, Does::Atomic);
                    }
                }
                out[..2].copy_from_slice(&old);
            }
            _ => {}
        }
        Some(out)
    }

    fn atomic(&self, atomic: AtomicOp, old: [u32; 2], operands: &[Value], lane: usize, wide: bool) -> [u32; 2] {
        let join = |[low, high]: [u32; 2]| u64::from(low) | if wide { u64::from(high) << 32 } else { 0 };
        let operand = |n: usize| {
            let bits = operands.get(n).map_or([0; 4], |&value| self.bits(value, lane));
            join([bits[0], bits[1]])
        };
        let new = atomic.apply(join(old), operand(0), operand(1), wide);
        [new as u32, (new >> 32) as u32]
    }

    fn ints(&self, value: Value, lane: usize) -> [i32; 3] {
        let lanes = self.m.ty(value).lanes as usize;
        let bits = self.bits(value, lane);
        std::array::from_fn(|i| if i < lanes { bits[i] as i32 } else { 0 })
    }

    /// An instruction on storage images, in one lane; nothing for those without a result.
    pub(crate) fn image(&mut self, data: &InstData, lane: usize) -> Option<[u32; 4]> {
        let decl = &self.m.images[data.imm.image()?.index()];
        if data.op == Op::ImageSize {
            return Some(size(self.environment.image_size(decl), decl.dim));
        }
        let coord = self.ints(data.args[0], lane);
        let multisampled = decl.dim.is_multisampled();
        let sample = if multisampled { self.bits(data.args[1], lane)[0] } else { 0 };
        match (data.op, data.imm) {
            (Op::ImageLoad, _) => Some(self.environment.image_load(decl, coord, sample)),
            (Op::ImageStore, _) => {
                let value = self.bits(*data.args.last()?, lane);
                self.environment.image_store(decl, coord, sample, value);
                None
            }
            (_, Imm::ImageAtomic(_, atomic)) => {
                let wide = decl.format == ImageFormat::R64;
                let [low, high, ..] = self.environment.image_load(decl, coord, sample);
                let old = [low, if wide { high } else { 0 }];
                let operands = &data.args[1 + usize::from(multisampled)..];
                let [low, high] = self.atomic(atomic, old, operands, lane, wide);
                self.environment.image_store(decl, coord, sample, [low, high, 0, 0]);
                Some([old[0], old[1], 0, 0])
            }
            _ => None,
        }
    }

    /// An instruction on textures, in one lane.
    pub(crate) fn texture(&self, data: &InstData, lane: usize) -> [u32; 4] {
        let Some(texture) = data.imm.texture() else { return [0; 4] };
        let mut decl = self.m.textures[texture.index()];
        let mut args = &data.args[..];
        if decl.in_tables()
            && let Some((&word, others)) = args.split_last()
        {
            decl = self.environment.texture_of(&decl, self.bits(word, lane)[0]);
            args = others;
        }
        let decl = &decl;
        match (data.op, data.imm) {
            (Op::Gather, Imm::Gather(_, component, offset)) => {
                let args = self.sample_args(data.op, args, decl, offset, lane);
                self.environment.gather_bits(decl, component, &args)
            }
            (Op::Fetch, Imm::Texture(_, offset)) => {
                let mut coord = self.ints(args[0], lane);
                for (coord, by) in coord[..decl.dim.extent() as usize].iter_mut().zip(offset.0) {
                    *coord = coord.wrapping_add(by.into());
                }
                let which = self.bits(args[1], lane)[0] as i32;
                self.environment.fetch(decl, coord, which)
            }
            (Op::TextureSize, _) => {
                let level = self.bits(args[0], lane)[0] as i32;
                size(self.environment.texture_size(decl, level), decl.dim)
            }
            (Op::TextureLevels, _) => [self.environment.texture_levels(decl), 0, 0, 0],
            (Op::QueryLod, _) => {
                let [dx, dy] = self.derivatives(args[0], decl.dim, lane);
                let [clamped, open] = self.environment.query_lod(decl, dx, dy).map(number);
                [clamped, open, 0, 0]
            }
            (_, Imm::Texture(_, offset)) => {
                let args = self.sample_args(data.op, args, decl, offset, lane);
                self.environment.sample_bits(decl, &args)
            }
            _ => [0; 4],
        }
    }

    fn floats(&self, value: Value, lane: usize) -> [f32; 4] {
        let lanes = self.m.ty(value).lanes as usize;
        let bits = self.bits(value, lane);
        std::array::from_fn(|i| if i < lanes { f32::from_bits(bits[i]) } else { 0.0 })
    }

    fn vector(&self, value: Value, lane: usize, dim: Dim) -> [f32; 3] {
        let floats = self.floats(value, lane);
        std::array::from_fn(|i| if i < dim.extent() as usize { floats[i] } else { 0.0 })
    }

    /// `value` in lane `to` minus `value` in lane `from`.
    pub(crate) fn difference(&self, value: Value, from: usize, to: usize) -> [u32; 4] {
        let (a, b) = (self.bits(value, from), self.bits(value, to));
        let ty: Type = self.m.ty(value);
        cut(std::array::from_fn(|i| number(f32::from_bits(b[i]) - f32::from_bits(a[i]))), ty)
    }

    /// Derivatives of coordinates in the quad.
    fn derivatives(&self, coord: Value, dim: Dim, lane: usize) -> [[f32; 3]; 2] {
        [[lane & !1, lane | 1], [lane & !2, lane | 2]].map(|[from, to]| {
            let bits = self.difference(coord, from, to);
            std::array::from_fn(|i| if i < dim.extent() as usize { f32::from_bits(bits[i]) } else { 0.0 })
        })
    }

    fn sample_args(&self, op: Op, args: &[Value], decl: &TextureDecl, offset: Offset, lane: usize) -> SampleArgs {
        let (coord, dim) = (args[0], decl.dim);
        let quad = |bias| {
            let [dx, dy] = self.derivatives(coord, dim, lane);
            Lod::Gradient { dx, dy, bias }
        };
        let lod = match op {
            Op::SampleBias => quad(self.floats(args[1], lane)[0]),
            Op::SampleLod => Lod::Level(self.floats(args[1], lane)[0]),
            Op::SampleGrad => {
                let [dx, dy] = [1, 2].map(|at| self.vector(args[at], lane, dim));
                Lod::Gradient { dx, dy, bias: 0.0 }
            }
            Op::Gather => Lod::Level(0.0),
            _ => quad(0.0),
        };
        let reference = args.last().filter(|_| decl.shadow).map(|&r| self.floats(r, lane)[0]);
        let layer = if dim.is_array() { self.floats(coord, lane)[dim.extent() as usize] } else { 0.0 };
        debug_assert!(!decl.shadow || decl.component == Component::Float);
        SampleArgs { coord: self.vector(coord, lane, dim), layer, offset, lod, reference }
    }
}

/// As many numbers as the size of the shape has.
fn size(size: [u32; 3], dim: Dim) -> [u32; 4] {
    let [width, height, depth] = size;
    [width, height, if dim.size_components() == 3 { depth } else { 0 }, 0]
}
