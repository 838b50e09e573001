//! Textures and storage images.

use afterimage_ir::{Component, ImageFormat, Imm, InstData, Kind, Offset, Op, TextureDecl, Type, Value};
use smallvec::SmallVec;

use crate::EmitError;
use crate::declared::Handles;
use crate::emit::Emitter;
use crate::interface;
use crate::memory::{Held, Place};
use crate::records;
use crate::spec::{capability, glsl, image_operands, op, scope, storage};
use crate::words::Id;

impl Emitter<'_> {
    /// The texture of an instruction, and its operands but for what says which texture it is.
    fn named(&mut self, data: &InstData) -> Result<(TextureDecl, Handles, SmallVec<[Id; 8]>), EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let texture = data.imm.texture().ok_or(malformed)?;
        let decl = self.m.textures[texture.index()];
        let mut args: SmallVec<[Id; 8]> = self.operands(data).into_iter().collect();
        let handles = if decl.in_tables() {
            let (images, samplers) = self.interface.tables[texture.index()].ok_or(malformed)?;
            let word = args.pop().ok_or(malformed)?;
            let (image, sampler) = interface::indices(&mut self.w, word);
            let image = images.load(&mut self.w, image, true);
            let sampler = match data.op {
                Op::Fetch | Op::TextureSize | Op::TextureLevels => 0,
                _ => samplers.load(&mut self.w, sampler, true),
            };
            Handles { sampled_type: images.sampled_type, image, sampler, combined: 0, non_uniform: true }
        } else {
            self.interface.textures[texture.index()].ok_or(malformed)?
        };
        Ok((decl, handles, args))
    }

    /// An image with its sampler.
    fn sampled(&mut self, handles: Handles) -> Result<Id, EmitError> {
        match handles {
            Handles { combined: 1.., .. } => Ok(handles.combined),
            Handles { sampler: 0, .. } => Err(EmitError::Unbound("the sampler of a texture")),
            _ => {
                let both = self.w.value(op::SampledImage, handles.sampled_type, &[handles.image, handles.sampler]);
                if handles.non_uniform {
                    records::non_uniform(&mut self.w, both);
                }
                Ok(both)
            }
        }
    }

    /// The type of `lanes` components of texels of this kind, as image instructions give and take them.
    fn texel(&mut self, component: Component, lanes: u8) -> Id {
        match component {
            Component::Float => self.w.ty(Type::new(Kind::Float, lanes)),
            Component::Uint => self.w.ty(Type::new(Kind::Int, lanes)),
            Component::Sint => self.w.signed(lanes),
        }
    }

    /// Integers of an image as the IR has them.
    fn unsigned(&mut self, component: Component, value: Id, lanes: u8) -> Id {
        if component != Component::Sint {
            return value;
        }
        let ty = self.w.ty(Type::new(Kind::Int, lanes));
        self.w.value(op::Bitcast, ty, &[value])
    }

    /// A texel of `r64` as its halves, then 0 and 1.
    fn halves(&mut self, texel: Id) -> Id {
        let (long, pair, four) = (self.w.long(), self.w.ty(Type::I32X2), self.w.ty(Type::I32X4));
        let number = self.w.value(op::CompositeExtract, long, &[texel, 0]);
        let (number, rest) = (self.w.value(op::Bitcast, pair, &[number]), self.w.constant(Type::I32X2, [0, 1, 0, 0]));
        self.w.value(op::CompositeConstruct, four, &[number, rest])
    }

    /// A texel of `r64` of two halves; what is behind them does not count.
    fn of_halves(&mut self, texel: Id) -> Id {
        let (long, pair, four) = (self.w.long(), self.w.ty(Type::I32X2), self.longs());
        let number = self.w.value(op::VectorShuffle, pair, &[texel, texel, 0, 1]);
        let number = self.w.value(op::Bitcast, long, &[number]);
        self.w.value(op::CompositeConstruct, four, &[number; 4])
    }

    /// The type of texels of `r64`.
    fn longs(&mut self) -> Id {
        let long = self.w.long();
        self.w.declared(op::TypeVector, &[long, 4])
    }

    /// An offset's constant, of as many components as the texture has directions. It is compared with limits as what its type says.
    fn offset(&mut self, offset: Offset, lanes: u8) -> Id {
        let by: SmallVec<[i32; 3]> = offset.0[..lanes as usize].iter().map(|by| i32::from(*by)).collect();
        self.w.signed_constant(&by)
    }

    pub(crate) fn gather(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Gather(_, component, offset) = data.imm else { return Err(malformed) };
        let (decl, handles, args) = self.named(data)?;
        let which = if decl.shadow { args[1] } else { self.w.uint(component.into()) };
        let sampled = self.sampled(handles)?;
        let mut operands: SmallVec<[u32; 8]> = SmallVec::from_slice(&[sampled, args[0], which]);
        if !offset.is_zero() {
            // A constant one takes no `ImageGatherExtended`.
            operands.extend([image_operands::ConstOffset, self.offset(offset, decl.dim.extent())]);
        }
        let ty = self.texel(decl.component, full.lanes);
        let opcode = if decl.shadow { op::ImageDrefGather } else { op::ImageGather };
        let texels = self.w.value(opcode, ty, &operands);
        Ok(self.unsigned(decl.component, texels, full.lanes))
    }

    pub(crate) fn sample(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Texture(_, offset) = data.imm else { return Err(malformed) };
        let (decl, handles, args) = self.named(data)?;
        let sampled = self.sampled(handles)?;
        let mut operands: SmallVec<[u32; 8]> = SmallVec::from_slice(&[sampled, args[0]]);
        operands.extend(decl.shadow.then(|| args[args.len() - 1]));
        let (implicit, mut mask, mut rest): (bool, u32, SmallVec<[u32; 4]>) = match data.op {
            Op::Sample => (true, 0, SmallVec::new()),
            Op::SampleBias => (true, image_operands::Bias, SmallVec::from_slice(&args[1..2])),
            Op::SampleLod => (false, image_operands::Lod, SmallVec::from_slice(&args[1..2])),
            _ => (false, image_operands::Grad, SmallVec::from_slice(&args[1..3])),
        };
        if !offset.is_zero() {
            mask |= image_operands::ConstOffset;
            rest.push(self.offset(offset, decl.dim.extent()));
        }
        if mask != 0 {
            operands.push(mask);
            operands.extend(rest);
        }
        let opcode = match (decl.shadow, implicit) {
            (false, true) => op::ImageSampleImplicitLod,
            (false, false) => op::ImageSampleExplicitLod,
            (true, true) => op::ImageSampleDrefImplicitLod,
            (true, false) => op::ImageSampleDrefExplicitLod,
        };
        let ty = self.texel(decl.component, full.lanes);
        if !decl.shadow {
            let texel = self.w.value(opcode, ty, &operands);
            return Ok(self.unsigned(decl.component, texel, full.lanes));
        }
        let float = self.w.ty(Type::F32);
        let lit = self.w.value(opcode, float, &operands);
        Ok(self.w.value(op::CompositeConstruct, ty, &[lit; 4]))
    }

    /// What needs no sampler, and questions about textures.
    pub(crate) fn texture(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Texture(_, offset) = data.imm else { return Err(malformed) };
        let (decl, handles, args) = self.named(data)?;
        let ty = self.w.ty(full);
        if data.op != Op::Fetch {
            self.w.capability(capability::ImageQuery);
        }
        Ok(match data.op {
            Op::Fetch => {
                let texels = self.texel(decl.component, full.lanes);
                let mut operands: SmallVec<[u32; 8]> = SmallVec::from_slice(&[handles.image, args[0]]);
                let by = (!offset.is_zero()).then(|| self.offset(offset, decl.dim.extent()));
                let moved = by.map_or(0, |_| image_operands::ConstOffset);
                // Operands stand in the order of their bits.
                if decl.dim.is_multisampled() {
                    operands.push(image_operands::Sample | moved);
                    operands.extend(by);
                    operands.push(args[1]);
                } else {
                    operands.extend([image_operands::Lod | moved, args[1]]);
                    operands.extend(by);
                }
                let texel = self.w.value(op::ImageFetch, texels, &operands);
                self.unsigned(decl.component, texel, full.lanes)
            }
            Op::TextureSize if decl.dim.is_multisampled() => self.w.value(op::ImageQuerySize, ty, &[handles.image]),
            Op::TextureSize => self.w.value(op::ImageQuerySizeLod, ty, &[handles.image, args[0]]),
            Op::TextureLevels if decl.dim.is_multisampled() => {
                self.w.value(op::ImageQuerySamples, ty, &[handles.image])
            }
            Op::TextureLevels => self.w.value(op::ImageQueryLevels, ty, &[handles.image]),
            _ => {
                let sampled = self.sampled(handles)?;
                self.w.value(op::ImageQueryLod, ty, &[sampled, args[0]])
            }
        })
    }

    /// What a storage image is asked for.
    pub(crate) fn image(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let image = data.imm.image().ok_or(malformed)?;
        let decl = self.m.images[image.index()];
        let handle = self.interface.images[image.index()].ok_or(malformed)?;
        let args = self.operands(data);
        let sample = decl.dim.is_multisampled();
        Ok(match data.op {
            Op::ImageSize => {
                self.w.capability(capability::ImageQuery);
                let loaded = self.w.value(op::Load, handle.ty, &[handle.variable]);
                // Cubes are layers here.
                let ty = self.w.ty(Type::new(Kind::Int, decl.dim.texel_coords()));
                let size = self.w.value(op::ImageQuerySize, ty, &[loaded]);
                let size = if decl.dim.is_cube() { self.cube_size(size, full) } else { size };
                // Of a null descriptor all are 0, of one layer in the place of cubes the third.
                let (ty, one) = (self.w.ty(full), self.w.splat(full, 1));
                self.w.ext(glsl::UMax, ty, &[size, one])
            }
            Op::ImageLoad => {
                let loaded = self.w.value(op::Load, handle.ty, &[handle.variable]);
                let wide = decl.format == ImageFormat::R64;
                let ty = if wide { self.longs() } else { self.texel(decl.component, full.lanes) };
                let mut operands: SmallVec<[u32; 4]> = SmallVec::from_slice(&[loaded, args[0]]);
                if sample {
                    operands.extend([image_operands::Sample, args[1]]);
                }
                let texel = self.w.value(op::ImageRead, ty, &operands);
                if wide { self.halves(texel) } else { self.unsigned(decl.component, texel, full.lanes) }
            }
            _ => {
                let Imm::ImageAtomic(_, atomic) = data.imm else { return Err(malformed) };
                let (uint, wide) = (self.w.ty(Type::I32), decl.format == ImageFormat::R64);
                let (element, held) = match decl.component {
                    _ if wide => (self.w.long(), Held::Same),
                    Component::Sint => (self.w.signed(1), Held::Signed(self.w.signed(1))),
                    Component::Uint | Component::Float => (uint, Held::Same),
                };
                let pointer = self.w.pointer(storage::Image, element);
                let at = if sample { args[1] } else { self.w.uint(0) };
                let at = self.w.value(op::ImageTexelPointer, pointer, &[handle.variable, args[0], at]);
                let operands = &args[1 + usize::from(sample)..];
                if wide {
                    let ty = self.w.ty(full);
                    return self.atomic_long(atomic, at, element, scope::Device, operands, ty);
                }
                let place = Place { at, ty: uint, held, scope: scope::Device, wide };
                self.atomic(atomic, place, operands)
            }
        })
    }

    /// Width and height, and cubes out of layers.
    fn cube_size(&mut self, size: Id, full: Type) -> Id {
        let ty = self.w.ty(full);
        if full.lanes == 2 {
            return self.w.value(op::VectorShuffle, ty, &[size, size, 0, 1]);
        }
        let uint = self.w.ty(Type::I32);
        let layers = self.w.value(op::CompositeExtract, uint, &[size, 2]);
        let six = self.w.uint(6);
        let cubes = self.w.value(op::UDiv, uint, &[layers, six]);
        self.w.value(op::CompositeInsert, ty, &[cubes, size, 2])
    }

    pub(crate) fn image_store(&mut self, data: &InstData) -> Result<(), EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let image = data.imm.image().ok_or(malformed)?;
        let decl = self.m.images[image.index()];
        let handle = self.interface.images[image.index()].ok_or(malformed)?;
        let value: Value = *data.args.last().ok_or(malformed)?;
        let mut texel = self.id(value);
        if decl.format == ImageFormat::R64 {
            texel = self.of_halves(texel);
        } else if decl.component == Component::Sint {
            let ty = self.w.signed(4);
            texel = self.w.value(op::Bitcast, ty, &[texel]);
        }
        let loaded = self.w.value(op::Load, handle.ty, &[handle.variable]);
        let mut operands: SmallVec<[u32; 5]> = SmallVec::from_slice(&[loaded, self.id(data.args[0]), texel]);
        if decl.dim.is_multisampled() {
            operands.extend([image_operands::Sample, self.id(data.args[1])]);
        }
        self.w.code.op(op::ImageWrite, &operands);
        Ok(())
    }
}
