//! Opcodes to instructions. The match is exhaustive, so an opcode without an emitter does not compile.

use afterimage_ir::{BankSource, Imm, InstData, Kind, Mask, Op, OutputAt, Swizzle, Type, Value, Var};
use smallvec::SmallVec;

use crate::EmitError;
use crate::emit::Emitter;
use crate::spec::{ALIGNED, decoration, glsl, image_operands, op, storage};
use crate::words::Id;

impl Emitter<'_> {
    /// Writes an instruction other than control flow.
    pub(crate) fn inst(&mut self, data: &InstData) -> Result<(), EmitError> {
        let Some(&result) = data.results.first() else { return self.effect(data) };
        let id = self.compute(data, result)?;
        self.set(result, id);
        Ok(())
    }

    fn operands(&self, data: &InstData) -> SmallVec<[Id; 4]> {
        data.args.iter().map(|&a| self.id(a)).collect()
    }

    fn plain(&mut self, opcode: u16, data: &InstData, ty: Id) -> Id {
        let operands = self.operands(data);
        self.w.value(opcode, ty, &operands)
    }

    fn ext(&mut self, instruction: u32, data: &InstData, ty: Id) -> Id {
        let operands = self.operands(data);
        self.w.ext(instruction, ty, &operands)
    }

    /// Arithmetic that a driver may contract unless told otherwise.
    fn arith(&mut self, opcode: u16, ty: Id, operands: &[Id], result: Value) -> Id {
        let id = self.w.value(opcode, ty, operands);
        if self.exact[result.index()] {
            self.w.decorate(id, decoration::NoContraction, &[]);
        }
        id
    }

    fn compute(&mut self, data: &InstData, result: Value) -> Result<Id, EmitError> {
        let full = self.m.ty(result);
        let ty = self.w.ty(full);
        let args = self.operands(data);
        let malformed = Err(EmitError::Malformed(data.op.name()));
        Ok(match data.op {
            Op::FAdd => self.arith(op::FAdd, ty, &args, result),
            Op::FSub => self.arith(op::FSub, ty, &args, result),
            Op::FMul => self.arith(op::FMul, ty, &args, result),
            Op::FDiv => self.plain(op::FDiv, data, ty),
            Op::FMad => {
                let product = self.arith(op::FMul, ty, &args[..2], result);
                self.arith(op::FAdd, ty, &[product, args[2]], result)
            }
            Op::FFma => self.ext(glsl::Fma, data, ty),
            Op::FNeg => self.plain(op::FNegate, data, ty),
            Op::FAbs => self.ext(glsl::FAbs, data, ty),
            Op::FSat => {
                let (zero, one) = (self.w.float(full, 0.0), self.w.float(full, 1.0));
                self.w.ext(glsl::NClamp, ty, &[args[0], zero, one])
            }
            Op::FMin => self.ext(glsl::NMin, data, ty),
            Op::FMax => self.ext(glsl::NMax, data, ty),
            Op::FFloor => self.ext(glsl::Floor, data, ty),
            Op::FCeil => self.ext(glsl::Ceil, data, ty),
            Op::FTrunc => self.ext(glsl::Trunc, data, ty),
            Op::FRound => self.ext(glsl::RoundEven, data, ty),
            Op::FFract => self.ext(glsl::Fract, data, ty),
            Op::FRcp => {
                let one = self.w.float(full, 1.0);
                self.w.value(op::FDiv, ty, &[one, args[0]])
            }
            Op::FRsq => self.ext(glsl::InverseSqrt, data, ty),
            Op::FSqrt => self.ext(glsl::Sqrt, data, ty),
            Op::FExp2 => self.ext(glsl::Exp2, data, ty),
            Op::FLog2 => self.ext(glsl::Log2, data, ty),
            Op::FSin => self.ext(glsl::Sin, data, ty),
            Op::FCos => self.ext(glsl::Cos, data, ty),

            Op::FMulZ | Op::FMadZ | Op::FDotZ | Op::FMinC | Op::FMaxC | Op::FRcpC | Op::FRsqC | Op::FLog2C => {
                return Err(EmitError::GuestFloat(data.op.name()));
            }

            Op::FEq => self.plain(op::FOrdEqual, data, ty),
            Op::FNe => self.plain(op::FUnordNotEqual, data, ty),
            Op::FLt => self.plain(op::FOrdLessThan, data, ty),
            Op::FLe => self.plain(op::FOrdLessThanEqual, data, ty),

            Op::IAdd => self.plain(op::IAdd, data, ty),
            Op::ISub => self.plain(op::ISub, data, ty),
            Op::IMul => self.plain(op::IMul, data, ty),
            Op::IMulHi => self.mul_hi(op::SMulExtended, &args, ty),
            Op::UMulHi => self.mul_hi(op::UMulExtended, &args, ty),
            Op::INeg => self.plain(op::SNegate, data, ty),
            Op::IAbs => self.ext(glsl::SAbs, data, ty),
            Op::IMin => self.ext(glsl::SMin, data, ty),
            Op::IMax => self.ext(glsl::SMax, data, ty),
            Op::UMin => self.ext(glsl::UMin, data, ty),
            Op::UMax => self.ext(glsl::UMax, data, ty),
            Op::UDiv | Op::UMod | Op::IDiv | Op::IRem => self.divide(data, &args, full),
            Op::IAnd => self.plain(op::BitwiseAnd, data, ty),
            Op::IOr => self.plain(op::BitwiseOr, data, ty),
            Op::IXor => self.plain(op::BitwiseXor, data, ty),
            Op::INot => self.plain(op::Not, data, ty),
            Op::IShl => self.shift(op::ShiftLeftLogical, &args, full),
            Op::IShr => self.shift(op::ShiftRightArithmetic, &args, full),
            Op::UShr => self.shift(op::ShiftRightLogical, &args, full),
            Op::BitCount => self.plain(op::BitCount, data, ty),
            Op::BitReverse => self.plain(op::BitReverse, data, ty),
            Op::IEq => self.plain(op::IEqual, data, ty),
            Op::INe => self.plain(op::INotEqual, data, ty),
            Op::ILt => self.plain(op::SLessThan, data, ty),
            Op::ILe => self.plain(op::SLessThanEqual, data, ty),
            Op::ULt => self.plain(op::ULessThan, data, ty),
            Op::ULe => self.plain(op::ULessThanEqual, data, ty),

            Op::FToI => self.float_to_int(op::ConvertFToS, args[0], full, i32::MIN as f32, i32::MAX as u32),
            Op::FToU => self.float_to_int(op::ConvertFToU, args[0], full, 0.0, u32::MAX),
            Op::IToF => self.plain(op::ConvertSToF, data, ty),
            Op::UToF => self.plain(op::ConvertUToF, data, ty),

            Op::BAnd => self.plain(op::LogicalAnd, data, ty),
            Op::BOr => self.plain(op::LogicalOr, data, ty),
            Op::BXor => self.plain(op::LogicalNotEqual, data, ty),
            Op::BNot => self.plain(op::LogicalNot, data, ty),
            Op::Select => self.plain(op::Select, data, ty),

            Op::FDot if self.m.ty(data.args[0]).lanes == 1 => self.arith(op::FMul, ty, &args, result),
            Op::FDot => self.arith(op::Dot, ty, &args, result),
            Op::Any | Op::All if self.m.ty(data.args[0]).lanes == 1 => args[0],
            Op::Any => self.plain(op::Any, data, ty),
            Op::All => self.plain(op::All, data, ty),

            Op::Const => match data.imm {
                Imm::Const(bits) => self.w.constant(full, bits),
                _ => return malformed,
            },
            Op::Bitcast => {
                let from = self.m.ty(data.args[0]);
                let from = self.w.ty(from);
                if from == ty { args[0] } else { self.plain(op::Bitcast, data, ty) }
            }
            Op::Swizzle => match data.imm {
                Imm::Swizzle(swizzle) => self.swizzle(data.args[0], swizzle, full),
                _ => return malformed,
            },
            Op::Shuffle => match data.imm {
                Imm::Swizzle(select) => self.shuffle(data.args[0], data.args[1], select, full),
                _ => return malformed,
            },
            Op::Construct if args.len() == 1 => args[0],
            Op::Construct => self.plain(op::CompositeConstruct, data, ty),

            Op::Load => match data.imm {
                Imm::Var(var) => self.w.value(op::Load, ty, &[self.vars[var.index()]]),
                _ => return malformed,
            },
            Op::LoadElem => match data.imm {
                Imm::Var(var) => {
                    let at = self.element(var, data.args[0])?;
                    self.w.value(op::Load, ty, &[at])
                }
                _ => return malformed,
            },
            Op::LoadInput => match data.imm {
                Imm::Input(input) => match self.interface.inputs[input.index()] {
                    Some(variable) => self.w.value(op::Load, ty, &[variable]),
                    None => return malformed,
                },
                _ => return malformed,
            },
            Op::LoadConst | Op::LoadConstDyn => self.load_const(data, full)?,
            Op::LoadSpec => match data.imm {
                Imm::Spec(spec) => self.interface.specs[spec.index()].ok_or(EmitError::Malformed(data.op.name()))?,
                _ => return malformed,
            },
            Op::Gather => self.gather(data, ty)?,
            Op::Sample | Op::SampleBias | Op::SampleLod | Op::SampleGrad => self.sample(data)?,
            Op::Ddx => self.plain(op::DPdx, data, ty),
            Op::Ddy => self.plain(op::DPdy, data, ty),

            Op::Store
            | Op::StoreElem
            | Op::StoreOutput
            | Op::Demote
            | Op::If
            | Op::Loop
            | Op::Yield
            | Op::Break
            | Op::Continue
            | Op::Return
            | Op::Unreachable => return malformed,
        })
    }

    fn effect(&mut self, data: &InstData) -> Result<(), EmitError> {
        let value = data.args.last().copied().ok_or(EmitError::Malformed(data.op.name()))?;
        match (data.op, data.imm) {
            (Op::Store, Imm::VarMask(var, mask)) => {
                let at = self.vars[var.index()];
                self.store(at, mask, value);
                Ok(())
            }
            (Op::StoreElem, Imm::VarMask(var, mask)) => {
                let at = self.element(var, data.args[0])?;
                self.store(at, mask, value);
                Ok(())
            }
            (Op::StoreOutput, Imm::Output(output)) => {
                let decl = &self.m.outputs[output.index()];
                let Some(at) = self.interface.outputs[output.index()] else {
                    return Err(EmitError::Malformed(data.op.name()));
                };
                if let OutputAt::ClipDistance(first) = decl.at {
                    let float = self.w.ty(Type::F32);
                    let pointer = self.w.pointer(storage::Output, float);
                    for lane in 0..decl.ty.lanes {
                        let (component, index) = (self.lane(value, lane), self.w.uint((first + lane) as u32));
                        let at = self.w.value(op::AccessChain, pointer, &[at, index]);
                        self.w.code.op(op::Store, &[at, component]);
                    }
                } else {
                    let value = self.id(value);
                    self.w.code.op(op::Store, &[at, value]);
                }
                Ok(())
            }
            _ => Err(EmitError::Malformed(data.op.name())),
        }
    }

    fn mul_hi(&mut self, opcode: u16, args: &[Id], ty: Id) -> Id {
        let pair = self.w.global(op::TypeStruct, &[ty, ty]);
        let both = self.w.value(opcode, pair, args);
        self.w.value(op::CompositeExtract, ty, &[both, 1])
    }

    /// SPIR-V leaves division by zero, the signed quotient that does not fit, and in Vulkan remainders of negative numbers open.
    fn divide(&mut self, data: &InstData, args: &[Id], full: Type) -> Id {
        let (ty, bools) = (self.w.ty(full), self.w.ty(full.with_kind(Kind::Bool)));
        let signed = matches!(data.op, Op::IDiv | Op::IRem);
        let (a, b) = (args[0], args[1]);
        let known = self.m.as_const(data.args[1]);
        let plain = known.is_some_and(|bits| bits[..full.lanes as usize].iter().all(|&b| b != 0 && b != !0));
        let (zero, one, ones) = (self.w.splat(full, 0), self.w.splat(full, 1), self.w.splat(full, !0));
        let mut divisor = b;
        let mut special = None;
        if !plain {
            let by_zero = self.w.value(op::IEqual, bools, &[b, zero]);
            divisor = self.w.value(op::Select, ty, &[by_zero, one, b]);
            let by_minus_one = signed.then(|| {
                let is = self.w.value(op::IEqual, bools, &[b, ones]);
                divisor = self.w.value(op::Select, ty, &[is, one, divisor]);
                is
            });
            special = Some((by_zero, by_minus_one));
        }
        let mut result = match data.op {
            Op::UMod => self.w.value(op::UMod, ty, &[a, divisor]),
            Op::UDiv => self.w.value(op::UDiv, ty, &[a, divisor]),
            _ => self.w.value(op::SDiv, ty, &[a, divisor]),
        };
        if data.op == Op::IRem {
            let product = self.w.value(op::IMul, ty, &[result, divisor]);
            result = self.w.value(op::ISub, ty, &[a, product]);
        } else if let Some((_, Some(by_minus_one))) = special {
            let negative = self.w.value(op::SNegate, ty, &[a]);
            result = self.w.value(op::Select, ty, &[by_minus_one, negative, result]);
        }
        match special {
            Some((by_zero, _)) => self.w.value(op::Select, ty, &[by_zero, ones, result]),
            None => result,
        }
    }

    /// SPIR-V leaves shifts by 32 and more open.
    fn shift(&mut self, opcode: u16, args: &[Id], full: Type) -> Id {
        let (ty, mask) = (self.w.ty(full), self.w.splat(full, 31));
        let count = self.w.value(op::BitwiseAnd, ty, &[args[1], mask]);
        self.w.value(opcode, ty, &[args[0], count])
    }

    /// SPIR-V leaves conversions of NaN and of numbers out of range open. `most` is the greatest integer; as a float it rounds up
    /// to the first number out of range.
    fn float_to_int(&mut self, opcode: u16, arg: Id, full: Type, least: f32, most: u32) -> Id {
        let (int, bools) = (self.w.ty(full), self.w.ty(full.with_kind(Kind::Bool)));
        let float = self.w.ty(full.with_kind(Kind::Float));
        let limit = if opcode == op::ConvertFToS { most as i32 as f32 } else { most as f32 };
        let below = f32::from_bits(limit.to_bits() - 1);
        let (low, high) = (self.w.float(full, least), self.w.float(full, below));
        let limit = self.w.float(full, limit);
        let (most, zero) = (self.w.splat(full, most), self.w.splat(full, 0));
        let clamped = self.w.ext(glsl::NClamp, float, &[arg, low, high]);
        let number = self.w.value(opcode, int, &[clamped]);
        let above = self.w.value(op::FOrdGreaterThanEqual, bools, &[arg, limit]);
        let number = self.w.value(op::Select, int, &[above, most, number]);
        let nan = self.w.value(op::IsNan, bools, &[arg]);
        self.w.value(op::Select, int, &[nan, zero, number])
    }

    fn swizzle(&mut self, arg: Value, swizzle: Swizzle, full: Type) -> Id {
        let ty = self.w.ty(full);
        let id = self.id(arg);
        match (self.m.ty(arg).lanes, swizzle.lanes()) {
            (1, [_]) => id,
            (1, lanes) => {
                let copies = [id; 4];
                self.w.value(op::CompositeConstruct, ty, &copies[..lanes.len()])
            }
            (_, &[lane]) => self.w.value(op::CompositeExtract, ty, &[id, lane as u32]),
            (_, lanes) => {
                let mut operands: SmallVec<[u32; 6]> = SmallVec::from_slice(&[id, id]);
                operands.extend(lanes.iter().map(|&l| l as u32));
                self.w.value(op::VectorShuffle, ty, &operands)
            }
        }
    }

    fn shuffle(&mut self, a: Value, b: Value, select: Swizzle, full: Type) -> Id {
        let ty = self.w.ty(full);
        let first = self.m.ty(a).lanes;
        if first > 1 && self.m.ty(b).lanes > 1 && select.count() > 1 {
            let mut operands: SmallVec<[u32; 6]> = SmallVec::from_slice(&[self.id(a), self.id(b)]);
            operands.extend(select.lanes().iter().map(|&l| l as u32));
            return self.w.value(op::VectorShuffle, ty, &operands);
        }
        if let Some(id) = self.insert(a, b, select, full) {
            return id;
        }
        // A scalar is no operand of a vector shuffle.
        let parts: SmallVec<[Id; 4]> =
            select.lanes().iter().map(|&l| if l < first { self.lane(a, l) } else { self.lane(b, l - first) }).collect();
        if parts.len() == 1 { parts[0] } else { self.w.value(op::CompositeConstruct, ty, &parts) }
    }

    /// A vector in which a scalar takes the place of a component: the masked store of one component.
    fn insert(&mut self, a: Value, b: Value, select: Swizzle, full: Type) -> Option<Id> {
        let lanes = self.m.ty(a).lanes;
        if lanes != full.lanes || self.m.ty(b).lanes != 1 {
            return None;
        }
        let mut replaced = select.lanes().iter().zip(0..).filter(|&(&from, to)| from != to);
        let (&from, to) = replaced.next()?;
        if from != lanes || replaced.next().is_some() {
            return None;
        }
        let ty = self.w.ty(full);
        let (object, composite) = (self.id(b), self.id(a));
        Some(self.w.value(op::CompositeInsert, ty, &[object, composite, to as u32]))
    }

    /// Pointer to an element, the index clamped.
    fn element(&mut self, var: Var, index: Value) -> Result<Id, EmitError> {
        let decl = &self.m.vars[var.index()];
        let Some(len) = decl.array else { return Err(EmitError::Malformed("load_elem")) };
        let index = self.id(index);
        let index = self.w.umin(index, len - 1);
        let ty = self.w.ty(decl.ty);
        let pointer = self.w.pointer(storage::Function, ty);
        Ok(self.w.value(op::AccessChain, pointer, &[self.vars[var.index()], index]))
    }

    fn store(&mut self, at: Id, mask: Mask, value: Value) {
        let full = self.m.ty(value);
        let mut id = self.id(value);
        if mask != Mask::first(full.lanes) {
            let ty = self.w.ty(full);
            let old = self.w.value(op::Load, ty, &[at]);
            let mut operands: SmallVec<[u32; 6]> = SmallVec::from_slice(&[old, id]);
            operands.extend((0..full.lanes).map(|l| if mask.has(l) { (l + full.lanes) as u32 } else { l as u32 }));
            id = self.w.value(op::VectorShuffle, ty, &operands);
        }
        self.w.code.op(op::Store, &[at, id]);
    }

    fn load_const(&mut self, data: &InstData, full: Type) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Bank(bank, base) = data.imm else { return Err(malformed) };
        let decl = &self.m.banks[bank.index()];
        let (block, start) = match decl.source {
            BankSource::Stage => (self.interface.stage_block, self.uses.bank_base[bank.index()]),
            BankSource::System => (self.interface.system_block, 0),
        };
        let block = block.ok_or(malformed)?;
        let index = if data.op == Op::LoadConstDyn {
            let int = self.w.ty(Type::I32);
            let mut index = self.id(data.args[0]);
            if base != 0 {
                let base = self.w.uint(base as u32);
                index = self.w.value(op::IAdd, int, &[index, base]);
            }
            let (zero, most) = (self.w.uint(0), self.w.uint(decl.size - 1));
            index = self.w.ext(glsl::SClamp, int, &[index, zero, most]);
            if start != 0 {
                let start = self.w.uint(start);
                index = self.w.value(op::IAdd, int, &[index, start]);
            }
            index
        } else {
            let offset = match decl.source {
                BankSource::Stage => self.uses.reflection.const_offset(decl.id, base as u32).ok_or(malformed)?,
                BankSource::System => base as u32,
            };
            self.w.uint(offset)
        };
        let zero = self.w.uint(0);
        let at = self.w.value(op::AccessChain, block.register, &[block.pointer, zero, index]);
        let vec4 = self.w.ty(Type::F32X4);
        let loaded = self.w.value(op::Load, vec4, &[at, ALIGNED, 16]);
        if full.kind == Kind::Float {
            return Ok(loaded);
        }
        let ty = self.w.ty(full);
        Ok(self.w.value(op::Bitcast, ty, &[loaded]))
    }

    fn gather(&mut self, data: &InstData, ty: Id) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Texture(texture) = data.imm else { return Err(malformed) };
        let handles = self.interface.textures[texture.index()].ok_or(malformed)?;
        let (coord, component) = (self.id(data.args[0]), self.w.uint(0));
        let sampled = self.w.value(op::SampledImage, handles.sampled_type, &[handles.image, handles.sampler]);
        Ok(self.w.value(op::ImageGather, ty, &[sampled, coord, component]))
    }

    fn sample(&mut self, data: &InstData) -> Result<Id, EmitError> {
        let malformed = EmitError::Malformed(data.op.name());
        let Imm::Texture(texture) = data.imm else { return Err(malformed) };
        let handles = self.interface.textures[texture.index()].ok_or(malformed)?;
        let decl = self.m.textures[texture.index()];
        let args = self.operands(data);
        let sampled = self.w.value(op::SampledImage, handles.sampled_type, &[handles.image, handles.sampler]);
        let mut operands: SmallVec<[u32; 8]> = SmallVec::from_slice(&[sampled, args[0]]);
        operands.extend(decl.shadow.then(|| args[args.len() - 1]));
        let implicit = match data.op {
            Op::Sample => true,
            Op::SampleBias => {
                operands.extend([image_operands::Bias, args[1]]);
                true
            }
            Op::SampleLod => {
                operands.extend([image_operands::Lod, args[1]]);
                false
            }
            _ => {
                operands.extend([image_operands::Grad, args[1], args[2]]);
                false
            }
        };
        let vec4 = self.w.ty(Type::F32X4);
        let opcode = match (decl.shadow, implicit) {
            (false, true) => op::ImageSampleImplicitLod,
            (false, false) => op::ImageSampleExplicitLod,
            (true, true) => op::ImageSampleDrefImplicitLod,
            (true, false) => op::ImageSampleDrefExplicitLod,
        };
        if !decl.shadow {
            return Ok(self.w.value(opcode, vec4, &operands));
        }
        let float = self.w.ty(Type::F32);
        let lit = self.w.value(opcode, float, &operands);
        Ok(self.w.value(op::CompositeConstruct, vec4, &[lit; 4]))
    }
}
