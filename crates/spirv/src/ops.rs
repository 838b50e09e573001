//! Opcodes to instructions. The match is exhaustive, so an opcode without an emitter does not compile.

use afterimage_ir::{BankSource, Imm, InputAt, InstData, Kind, Mask, Named, Op, OutputAt, Swizzle, Type, Value, Var};
use smallvec::SmallVec;

use crate::EmitError;
use crate::elsewhere;
use crate::emit::Emitter;
use crate::interface::is_signed;
use crate::spec::{ALIGNED, decoration, glsl, op, storage};
use crate::words::Id;

impl Emitter<'_> {
    /// Writes an instruction other than control flow.
    pub(crate) fn inst(&mut self, data: &InstData) -> Result<(), EmitError> {
        let Some(&result) = data.results.first() else { return self.effect(data) };
        let id = self.compute(data, result)?;
        self.set(result, id);
        Ok(())
    }

    pub(crate) fn operands(&self, data: &InstData) -> SmallVec<[Id; 4]> {
        let mut ids = SmallVec::new();
        data.args.iter().for_each(|&arg| ids.push(self.id(arg)));
        ids
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
            Op::FDiv => self.w.value(op::FDiv, ty, &args),
            Op::FMad => {
                let product = self.arith(op::FMul, ty, &args[..2], result);
                self.arith(op::FAdd, ty, &[product, args[2]], result)
            }
            Op::FFma => self.w.ext(glsl::Fma, ty, &args),
            Op::FNeg => self.w.value(op::FNegate, ty, &args),
            Op::FAbs => self.w.ext(glsl::FAbs, ty, &args),
            Op::FSat => {
                let (zero, one) = (self.w.float(full, 0.0), self.w.float(full, 1.0));
                self.w.ext(glsl::NClamp, ty, &[args[0], zero, one])
            }
            Op::FMin => self.w.ext(glsl::NMin, ty, &args),
            Op::FMax => self.w.ext(glsl::NMax, ty, &args),
            Op::FFloor => self.w.ext(glsl::Floor, ty, &args),
            Op::FCeil => self.w.ext(glsl::Ceil, ty, &args),
            Op::FTrunc => self.w.ext(glsl::Trunc, ty, &args),
            Op::FRound => self.w.ext(glsl::RoundEven, ty, &args),
            Op::FFract => self.w.ext(glsl::Fract, ty, &args),
            Op::FRcp => {
                let one = self.w.float(full, 1.0);
                self.w.value(op::FDiv, ty, &[one, args[0]])
            }
            Op::FRsq => self.w.ext(glsl::InverseSqrt, ty, &args),
            Op::FSqrt => self.w.ext(glsl::Sqrt, ty, &args),
            Op::FExp2 => self.w.ext(glsl::Exp2, ty, &args),
            Op::FLog2 => self.w.ext(glsl::Log2, ty, &args),
            Op::FSin => self.w.ext(glsl::Sin, ty, &args),
            Op::FCos => self.w.ext(glsl::Cos, ty, &args),

            Op::FMulZ | Op::FMadZ | Op::FDotZ | Op::FMinC | Op::FMaxC | Op::FRcpC | Op::FRsqC | Op::FLog2C => {
                return Err(EmitError::GuestFloat(data.op.name()));
            }

            Op::FEq => self.w.value(op::FOrdEqual, ty, &args),
            Op::FNe => self.w.value(op::FUnordNotEqual, ty, &args),
            Op::FLt => self.w.value(op::FOrdLessThan, ty, &args),
            Op::FLe => self.w.value(op::FOrdLessThanEqual, ty, &args),

            Op::IAdd => self.w.value(op::IAdd, ty, &args),
            Op::ISub => self.w.value(op::ISub, ty, &args),
            Op::IMul => self.w.value(op::IMul, ty, &args),
            Op::IMulHi => self.mul_hi(op::SMulExtended, &args, ty),
            Op::UMulHi => self.mul_hi(op::UMulExtended, &args, ty),
            Op::INeg => self.w.value(op::SNegate, ty, &args),
            Op::IAbs => self.w.ext(glsl::SAbs, ty, &args),
            Op::IMin => self.w.ext(glsl::SMin, ty, &args),
            Op::IMax => self.w.ext(glsl::SMax, ty, &args),
            Op::UMin => self.w.ext(glsl::UMin, ty, &args),
            Op::UMax => self.w.ext(glsl::UMax, ty, &args),
            Op::UDiv | Op::UMod | Op::IDiv | Op::IRem => self.divide(data, &args, full),
            Op::IAnd => self.w.value(op::BitwiseAnd, ty, &args),
            Op::IOr => self.w.value(op::BitwiseOr, ty, &args),
            Op::IXor => self.w.value(op::BitwiseXor, ty, &args),
            Op::INot => self.w.value(op::Not, ty, &args),
            Op::IShl => self.shift(op::ShiftLeftLogical, &args, full),
            Op::IShr => self.shift(op::ShiftRightArithmetic, &args, full),
            Op::UShr => self.shift(op::ShiftRightLogical, &args, full),
            Op::BitCount => self.w.value(op::BitCount, ty, &args),
            Op::BitReverse => self.w.value(op::BitReverse, ty, &args),
            Op::IEq => self.w.value(op::IEqual, ty, &args),
            Op::INe => self.w.value(op::INotEqual, ty, &args),
            Op::ILt => self.w.value(op::SLessThan, ty, &args),
            Op::ILe => self.w.value(op::SLessThanEqual, ty, &args),
            Op::ULt => self.w.value(op::ULessThan, ty, &args),
            Op::ULe => self.w.value(op::ULessThanEqual, ty, &args),

            Op::FToI => self.float_to_int(op::ConvertFToS, args[0], full, i32::MIN as f32, i32::MAX as u32),
            Op::FToU => self.float_to_int(op::ConvertFToU, args[0], full, 0.0, u32::MAX),
            Op::IToF => self.w.value(op::ConvertSToF, ty, &args),
            Op::UToF => self.w.value(op::ConvertUToF, ty, &args),

            Op::BAnd => self.w.value(op::LogicalAnd, ty, &args),
            Op::BOr => self.w.value(op::LogicalOr, ty, &args),
            Op::BXor => self.w.value(op::LogicalNotEqual, ty, &args),
            Op::BNot => self.w.value(op::LogicalNot, ty, &args),
            Op::Select => self.w.value(op::Select, ty, &args),

            // The sum begins with zero, so it has no negative zero.
            Op::FDot if self.m.ty(data.args[0]).lanes == 1 => {
                let product = self.arith(op::FMul, ty, &args, result);
                let zero = self.w.constant(full, [0; 4]);
                self.arith(op::FAdd, ty, &[product, zero], result)
            }
            Op::FDot => self.arith(op::Dot, ty, &args, result),
            Op::Any | Op::All if self.m.ty(data.args[0]).lanes == 1 => args[0],
            Op::Any => self.w.value(op::Any, ty, &args),
            Op::All => self.w.value(op::All, ty, &args),

            Op::Const => match data.imm {
                Imm::Const(bits) => self.w.constant(full, bits),
                _ => return malformed,
            },
            Op::Bitcast => {
                let from = self.m.ty(data.args[0]);
                let from = self.w.ty(from);
                if from == ty { args[0] } else { self.w.value(op::Bitcast, ty, &args) }
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
            Op::Construct => self.w.value(op::CompositeConstruct, ty, &args),

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
                    Some(variable) if self.m.inputs[input.index()].at == InputAt::SampleMask => {
                        let pointer = self.w.pointer(storage::Input, ty);
                        let zero = self.w.uint(0);
                        let at = self.w.value(op::AccessChain, pointer, &[variable, zero]);
                        self.w.value(op::Load, ty, &[at])
                    }
                    Some(variable) => match elsewhere::first(self.m, self.uses, input.index()) {
                        Some(_) => self.interpolated(variable, full, self.m.inputs[input.index()].interp),
                        None => self.w.value(op::Load, ty, &[variable]),
                    },
                    None => return malformed,
                },
                _ => return malformed,
            },
            Op::LoadVertexInput => self.load_vertex_input(data, full)?,
            Op::LoadConst | Op::LoadConstDyn => self.load_const(data, full)?,
            Op::LoadSpec => match data.imm {
                Imm::Spec(spec) => self.interface.specs[spec.index()].ok_or(EmitError::Malformed(data.op.name()))?,
                _ => return malformed,
            },
            Op::Gather => self.gather(data, full)?,
            Op::Sample | Op::SampleBias | Op::SampleLod | Op::SampleGrad => self.sample(data, full)?,
            Op::Ddx => self.w.value(op::DPdx, ty, &args),
            Op::Ddy => self.w.value(op::DPdy, ty, &args),

            Op::FindLsb => self.w.ext(glsl::FindILsb, ty, &args),
            Op::FindMsb => self.w.ext(glsl::FindUMsb, ty, &args),
            Op::FindMsbSigned => self.w.ext(glsl::FindSMsb, ty, &args),
            Op::UBfe => self.unsigned_field(data, &args, full),
            Op::IBfe => self.signed_field(data, &args, full),
            Op::UAddCarry => {
                let int = self.w.ty(full.with_kind(Kind::Int));
                let sum = self.w.value(op::IAdd, int, &args);
                self.w.value(op::ULessThan, ty, &[sum, args[0]])
            }
            Op::USubBorrow => self.w.value(op::ULessThan, ty, &args),
            Op::FToH => self.half(args[0], full),
            Op::FToHZ => self.half_toward_zero(args[0], full),
            Op::HToF => self.float_of_half(data.args[0], full),
            Op::FLdexp => self.ldexp(data, &args, full),
            Op::FFrexpMant => self.frexp(args[0], full).0,
            Op::FFrexpExp => self.frexp(args[0], full).1,

            Op::DAdd
            | Op::DSub
            | Op::DMul
            | Op::DFma
            | Op::DDiv
            | Op::DSqrt
            | Op::DRcp
            | Op::DRsq
            | Op::DMin
            | Op::DMax
            | Op::DNeg
            | Op::DAbs
            | Op::DFloor
            | Op::DCeil
            | Op::DTrunc
            | Op::DRound
            | Op::DFract
            | Op::DLdexp
            | Op::DFrexpMant
            | Op::DFrexpExp
            | Op::DEq
            | Op::DNe
            | Op::DLt
            | Op::DLe
            | Op::DToF
            | Op::FToD
            | Op::DToI
            | Op::DToU
            | Op::IToD
            | Op::UToD => self.double(data, &args)?,

            Op::Fetch | Op::TextureSize | Op::TextureLevels | Op::QueryLod => self.texture(data, full)?,
            Op::ImageLoad | Op::ImageAtomic | Op::ImageSize => self.image(data, full)?,
            Op::LoadGlobal | Op::AtomicGlobal | Op::LoadShared | Op::AtomicShared => self.memory(data, full)?,
            Op::Ballot
            | Op::WaveAny
            | Op::ReadFirst
            | Op::ReadLane
            | Op::WaveShuffle
            | Op::QuadSwizzle
            | Op::LaneIndex
            | Op::WaveSize => self.wave(data, full)?,

            Op::ImageStore
            | Op::StoreGlobal
            | Op::StoreShared
            | Op::Barrier
            | Op::WaveBarrier
            | Op::MemoryBarrier
            | Op::Store
            | Op::StoreElem
            | Op::StoreOutput
            | Op::EmitVertex
            | Op::EndPrimitive
            | Op::Demote
            | Op::BeginInterlock
            | Op::EndInterlock
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
        match data.op {
            Op::ImageStore => return self.image_store(data),
            Op::StoreGlobal | Op::StoreShared => return self.store_memory(data),
            Op::EmitVertex | Op::EndPrimitive => return self.emit_vertex(data),
            Op::Barrier | Op::WaveBarrier | Op::MemoryBarrier => {
                self.barrier(data.op);
                return Ok(());
            }
            Op::BeginInterlock | Op::EndInterlock => {
                self.interlock(data.op);
                return Ok(());
            }
            _ => {}
        }
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
                self.store_copies(output, value);
                let Some(at) = self.interface.outputs[output.index()] else {
                    // The device cannot take it.
                    return Ok(());
                };
                if decl.at == OutputAt::SampleMask {
                    let uint = self.w.ty(Type::I32);
                    let pointer = self.w.pointer(storage::Output, uint);
                    let (value, zero) = (self.id(value), self.w.uint(0));
                    let at = self.w.value(op::AccessChain, pointer, &[at, zero]);
                    self.w.code.op(op::Store, &[at, value]);
                } else if let OutputAt::ClipDistance(first) | OutputAt::CullDistance(first) = decl.at {
                    let float = self.w.ty(Type::F32);
                    let pointer = self.w.pointer(storage::Output, float);
                    for lane in 0..decl.ty.lanes {
                        let (component, index) = (self.lane(value, lane), self.w.uint((first + lane) as u32));
                        let at = self.w.value(op::AccessChain, pointer, &[at, index]);
                        self.w.code.op(op::Store, &[at, component]);
                    }
                } else {
                    let mut value = self.id(value);
                    if is_signed(self.m, decl) {
                        let ty = self.w.signed(decl.ty.lanes);
                        value = self.w.value(op::Bitcast, ty, &[value]);
                    }
                    self.w.code.op(op::Store, &[at, value]);
                }
                Ok(())
            }
            _ => Err(EmitError::Malformed(data.op.name())),
        }
    }

    fn mul_hi(&mut self, opcode: u16, args: &[Id], ty: Id) -> Id {
        let pair = self.w.pair(ty);
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
        if let Some(&Some(reached)) = self.interface.bound.get(bank.index()) {
            return self.load_bound(data, reached, base, decl.size, full);
        }
        let (block, start) = match decl.source {
            BankSource::Stage => (self.interface.stage_block, self.uses.bank_base[bank.index()]),
            BankSource::System => (self.interface.system_block, 0),
            BankSource::Feedback => (self.interface.feedback_block, 0),
            BankSource::Storage => return Err(malformed),
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
                BankSource::System | BankSource::Feedback | BankSource::Storage => base as u32,
            };
            self.w.uint(offset)
        };
        let zero = self.w.uint(0);
        let at = self.w.value(op::AccessChain, block.register, &[block.pointer, zero, index]);
        let vec4 = self.w.ty(Type::F32X4);
        let loaded = self.w.value(op::Load, vec4, &[at, ALIGNED, 16]);
        if self.w.debug_names
            && let Some((decl, register)) = self.m.register_name(bank, base as u32)
        {
            match decl.of {
                Named::Registers { count: 1, .. } => self.w.name(loaded, &decl.name),
                _ => self.w.name(loaded, &format!("{}[{register}]", decl.name)),
            }
        }
        if full.kind == Kind::Float {
            return Ok(loaded);
        }
        let ty = self.w.ty(full);
        Ok(self.w.value(op::Bitcast, ty, &[loaded]))
    }
}
