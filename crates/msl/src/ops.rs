//! Opcodes to expressions. The match is exhaustive, so an opcode that is not written does not compile.

use std::fmt::Write as _;

use afterimage_ir::{Imm, InstData, Op, Type, Value};

use crate::EmitError;
use crate::emit::{Emitter, Slot, component, put_text};
use crate::expr::{Expr, Prec, literal, signed_literal, signed_name, type_name};

/// Operands as they are, or as signed integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    Plain,
    Signed,
}

impl Emitter<'_> {
    /// Writes an instruction other than control flow.
    pub(crate) fn inst(&mut self, data: &InstData) -> Result<(), EmitError> {
        let Some(&result) = data.results.first() else { return self.effect(data) };
        if matches!(data.op, Op::AtomicGlobal | Op::AtomicShared) {
            return self.atomic(data, result);
        }
        if data.op == Op::ImageAtomic {
            return self.image_atomic(data, result);
        }
        // What is not used would only be in the way of who reads the text.
        if self.is_used(result)
            && let Some(expr) = self.compute(data, result)?
        {
            self.set(result, expr);
        }
        Ok(())
    }

    /// The expression of an instruction; `None` if it was written as a statement, because it must stay where it is.
    fn compute(&mut self, data: &InstData, result: Value) -> Result<Option<Expr>, EmitError> {
        use Prec::{Bits, Compare, Product, Shift, Sum, Unary};
        use Read::{Plain, Signed};
        let ty = self.m.ty(result);
        let malformed = EmitError::Malformed(data.op.name());
        Ok(Some(match data.op {
            Op::FAdd => self.operator(data, "+", Sum, [Sum, Product], Plain),
            Op::FSub => self.operator(data, "-", Sum, [Sum, Product], Plain),
            Op::FMul => self.operator(data, "*", Product, [Product, Unary], Plain),
            Op::FDiv => self.operator(data, "/", Product, [Product, Unary], Plain),
            Op::FMad => self.multiply_add(data),
            Op::FFma => self.call(data, "fma"),
            Op::FNeg => self.unary(data, "-"),
            Op::FAbs => self.call(data, "fabs"),
            Op::FSat => self.saturate(data, ty),
            Op::FMin => self.call(data, "precise::min"),
            Op::FMax => self.call(data, "precise::max"),
            Op::FFloor => self.call(data, "floor"),
            Op::FCeil => self.call(data, "ceil"),
            Op::FTrunc => self.call(data, "trunc"),
            Op::FRound => self.call(data, "rint"),
            Op::FFract => self.fract(data),
            Op::FRcp => self.reciprocal(data),
            Op::FRsq => self.call(data, "precise::rsqrt"),
            Op::FSqrt => self.call(data, "precise::sqrt"),
            Op::FExp2 => self.call(data, "precise::exp2"),
            Op::FLog2 => self.call(data, "precise::log2"),
            Op::FSin => self.call(data, "precise::sin"),
            Op::FCos => self.call(data, "precise::cos"),

            Op::FMulZ | Op::FMadZ | Op::FDotZ | Op::FMinC | Op::FMaxC | Op::FRcpC | Op::FRsqC | Op::FLog2C => {
                return Err(EmitError::GuestFloat(data.op.name()));
            }

            Op::FEq | Op::IEq => self.operator(data, "==", Compare, [Shift; 2], Plain),
            Op::FNe | Op::INe => self.operator(data, "!=", Compare, [Shift; 2], Plain),
            Op::FLt | Op::ULt => self.operator(data, "<", Compare, [Shift; 2], Plain),
            Op::FLe | Op::ULe => self.operator(data, "<=", Compare, [Shift; 2], Plain),
            Op::ILt => self.operator(data, "<", Compare, [Shift; 2], Signed),
            Op::ILe => self.operator(data, "<=", Compare, [Shift; 2], Signed),

            Op::IAdd => self.operator(data, "+", Sum, [Sum, Product], Plain),
            Op::ISub => self.operator(data, "-", Sum, [Sum, Product], Plain),
            Op::IMul => self.operator(data, "*", Product, [Product, Unary], Plain),
            Op::IMulHi => self.signed_call(data, ty, "mulhi"),
            Op::UMulHi => self.call(data, "mulhi"),
            Op::INeg => self.unary(data, "-"),
            Op::IAbs => self.integer_abs(data, ty),
            Op::IMin => self.signed_call(data, ty, "min"),
            Op::IMax => self.signed_call(data, ty, "max"),
            Op::UMin => self.call(data, "min"),
            Op::UMax => self.call(data, "max"),
            Op::UDiv | Op::UMod | Op::IDiv | Op::IRem | Op::FToI | Op::FToU => self.helper(data, ty),
            Op::FindLsb | Op::FindMsb | Op::FindMsbSigned | Op::UBfe | Op::IBfe | Op::UAddCarry | Op::USubBorrow => {
                self.helper(data, ty)
            }
            Op::FToH | Op::FToHZ | Op::HToF | Op::FLdexp | Op::FFrexpMant | Op::FFrexpExp => self.helper(data, ty),
            Op::IAnd => self.operator(data, "&", Bits, [Unary; 2], Plain),
            Op::IOr => self.operator(data, "|", Bits, [Unary; 2], Plain),
            Op::IXor => self.operator(data, "^", Bits, [Unary; 2], Plain),
            Op::INot => self.unary(data, "~"),
            Op::IShl => self.shift(data, ty, "<<", Plain),
            Op::IShr => self.shift(data, ty, ">>", Signed),
            Op::UShr => self.shift(data, ty, ">>", Plain),
            Op::BitCount => self.call(data, "popcount"),
            Op::BitReverse => self.call(data, "reverse_bits"),

            Op::IToF => self.convert(data, ty, Signed),
            Op::UToF => self.convert(data, ty, Plain),

            Op::BAnd if ty.lanes == 1 => self.operator(data, "&&", Prec::And, [Prec::And, Bits], Plain),
            Op::BOr if ty.lanes == 1 => self.operator(data, "||", Prec::Or, [Bits, Bits], Plain),
            Op::BXor if ty.lanes == 1 => self.differ(data),
            Op::BAnd => self.vector_operator(data, "&"),
            Op::BOr => self.vector_operator(data, "|"),
            Op::BXor => self.vector_operator(data, "^"),
            Op::BNot => self.unary(data, "!"),
            Op::Select => self.select(data),

            Op::FDot if self.m.ty(data.args[0]).lanes == 1 => self.dot_of_scalars(data),
            Op::FDot => self.call_on_vectors(data, "dot"),
            Op::Any | Op::All if self.m.ty(data.args[0]).lanes == 1 => self.same(data.args[0]),
            Op::Any => self.call_on_vectors(data, "any"),
            Op::All => self.call_on_vectors(data, "all"),

            Op::Const => match data.imm {
                Imm::Const(bits) => constant(ty, bits),
                _ => return Err(malformed),
            },
            Op::Bitcast => self.bitcast(data, ty),
            Op::Swizzle => match data.imm {
                Imm::Swizzle(swizzle) => self.swizzle(data.args[0], swizzle.lanes()),
                _ => return Err(malformed),
            },
            Op::Shuffle => match data.imm {
                Imm::Swizzle(select) => self.shuffle(data, select, ty),
                _ => return Err(malformed),
            },
            Op::Construct if data.args.len() == 1 => self.same(data.args[0]),
            Op::Construct => self.construct(data, ty),

            Op::Load | Op::LoadElem => match data.imm {
                Imm::Var(var) => {
                    let text = self.place(var, data)?;
                    self.define(result, &text);
                    self.recycle(text);
                    return Ok(None);
                }
                _ => return Err(malformed),
            },
            Op::LoadInput => match data.imm {
                Imm::Input(input) => Expr::free(self.interface.inputs[input.index()].clone()),
                _ => return Err(malformed),
            },
            Op::LoadSpec => match data.imm {
                Imm::Spec(spec) => Expr::free(self.interface.specs[spec.index()].clone()),
                _ => return Err(malformed),
            },
            Op::LoadConst | Op::LoadConstDyn => self.load_const(data, ty)?,
            // Others change what is there.
            Op::LoadGlobal | Op::LoadShared => {
                self.load_words(data, result);
                return Ok(None);
            }
            // Lookups and derivatives may not move to where fewer lanes run.
            Op::Sample | Op::SampleBias | Op::SampleLod | Op::SampleGrad | Op::Gather => {
                let text = self.sample(data)?;
                self.define(result, &text);
                self.recycle(text);
                return Ok(None);
            }
            Op::Ddx | Op::Ddy => {
                let expr = self.call_on_vectors(data, if data.op == Op::Ddx { "dfdx" } else { "dfdy" });
                self.define(result, &expr.text);
                self.recycle(expr.text);
                return Ok(None);
            }

            Op::Fetch | Op::TextureSize | Op::TextureLevels => {
                let text = self.ask_texture(data)?;
                self.define(result, &text);
                return Ok(None);
            }
            // Derivatives, too.
            Op::QueryLod => {
                let text = self.query_lod(data)?;
                self.define(result, &text);
                return Ok(None);
            }
            Op::ImageLoad => {
                let text = self.image_load(data)?;
                self.define(result, &text);
                return Ok(None);
            }
            Op::ImageSize => Expr::postfix(self.image_size(data)?),
            Op::Ballot
            | Op::WaveAny
            | Op::ReadFirst
            | Op::ReadLane
            | Op::WaveShuffle
            | Op::QuadSwizzle
            | Op::LaneIndex
            | Op::WaveSize => {
                self.wave(data, result)?;
                return Ok(None);
            }

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
            | Op::UToD
            | Op::LoadVertexInput
            | Op::EmitVertex
            | Op::EndPrimitive => return Err(EmitError::Unsupported(data.op.name())),

            Op::AtomicGlobal
            | Op::AtomicShared
            | Op::ImageAtomic
            | Op::Store
            | Op::StoreElem
            | Op::StoreOutput
            | Op::StoreGlobal
            | Op::StoreShared
            | Op::ImageStore
            | Op::WaveBarrier
            | Op::MemoryBarrier
            | Op::Barrier
            | Op::Demote
            | Op::BeginInterlock
            | Op::EndInterlock
            | Op::If
            | Op::Loop
            | Op::Yield
            | Op::Break
            | Op::Continue
            | Op::Return
            | Op::Unreachable => return Err(malformed),
        }))
    }

    // Component-wise operations. If all operands have all components the same, so has the result, and it is computed once.

    /// Whether all operands have all components the same.
    pub(crate) fn is_splat(&self, data: &InstData) -> bool {
        data.args.iter().all(|&arg| self.splat(arg).is_some())
    }

    /// What a component-wise operation gives.
    fn lanes(&self, data: &InstData, text: String, prec: Prec) -> Expr {
        Expr { splat: self.is_splat(data), ..Expr::new(text, prec) }
    }

    /// `a + b` and the like, where a scalar may stand for a vector.
    fn operator(&mut self, data: &InstData, operator: &str, prec: Prec, least: [Prec; 2], read: Read) -> Expr {
        let mut text = self.fresh();
        self.put_read(&mut text, data.args[0], least[0], read);
        for part in [" ", operator, " "] {
            text.push_str(part);
        }
        self.put_read(&mut text, data.args[1], least[1], read);
        self.lanes(data, text, prec)
    }

    /// The same where it may not, as for truth values.
    fn vector_operator(&mut self, data: &InstData, operator: &str) -> Expr {
        let mut text = self.fresh();
        self.put(&mut text, data.args[0], Prec::Unary);
        let _ = write!(text, " {operator} ");
        self.put(&mut text, data.args[1], Prec::Unary);
        Expr::new(text, Prec::Bits)
    }

    fn unary(&mut self, data: &InstData, operator: &str) -> Expr {
        let mut text = self.fresh();
        text.push_str(operator);
        self.put_loose(&mut text, data.args[0], Prec::Postfix);
        self.lanes(data, text, Prec::Unary)
    }

    /// A function of the operands.
    fn call(&mut self, data: &InstData, function: &str) -> Expr {
        if !self.is_splat(data) {
            return self.call_on_vectors(data, function);
        }
        let mut text = format!("{function}(");
        for (i, &arg) in data.args.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            self.put_loose(&mut text, arg, Prec::Any);
        }
        text.push(')');
        Expr { splat: true, ..Expr::postfix(text) }
    }

    pub(crate) fn call_on_vectors(&mut self, data: &InstData, function: &str) -> Expr {
        let mut text = self.fresh();
        text.push_str(function);
        text.push('(');
        self.put_list(&mut text, &data.args);
        text.push(')');
        Expr::postfix(text)
    }

    pub(crate) fn put_list(&self, out: &mut String, args: &[Value]) {
        for (i, &arg) in args.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.put(out, arg, Prec::Any);
        }
    }

    fn helper(&mut self, data: &InstData, ty: Type) -> Expr {
        let lanes = if self.is_splat(data) { 1 } else { ty.lanes };
        let name = self.helpers.call(data.op, lanes);
        self.call(data, name)
    }

    /// A function of signed integers, its result unsigned again.
    fn signed_call(&mut self, data: &InstData, ty: Type, function: &str) -> Expr {
        let splat = self.is_splat(data);
        let outer = if splat { component(ty) } else { ty };
        let mut text = format!("{function}(");
        for (i, &arg) in data.args.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            self.put_signed(&mut text, arg, Prec::Any, splat);
        }
        text.push(')');
        Expr { splat, ..Expr::unsigned(type_name(outer), &text) }
    }

    /// Writes an operand of what is computed once for all components, or not.
    pub(crate) fn put_one(&self, out: &mut String, value: Value, least: Prec, splat: bool) {
        if splat {
            self.put_loose(out, value, least);
        } else {
            self.put(out, value, least);
        }
    }

    fn put_read(&self, out: &mut String, value: Value, least: Prec, read: Read) {
        match read {
            Read::Plain => self.put_loose(out, value, least),
            Read::Signed => self.put_signed(out, value, least, true),
        }
    }

    /// Writes an integer as a signed one; if `loose`, as a scalar if all components are the same.
    pub(crate) fn put_signed(&self, out: &mut String, value: Value, least: Prec, loose: bool) {
        let ty = self.m.ty(value);
        let splat = self.splat(value);
        let scalar = ty.lanes == 1 || loose && splat.is_some();
        let name = if scalar { "int" } else { signed_name(ty) };
        if let Some(bits) = self.m.as_const(value) {
            if scalar {
                put_signed_literal(out, bits[0], least);
                return;
            }
            let _ = write!(out, "{name}(");
            for (i, &lane) in bits[..ty.lanes as usize].iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                signed_literal(out, lane);
            }
            out.push(')');
            return;
        }
        let signed = match self.slot(value).1 {
            Slot::Expr(expr) if scalar || !expr.splat => expr.signed(),
            _ => None,
        };
        match signed {
            Some(text) => put_text(out, text, Prec::Shift, least),
            None => {
                let _ = write!(out, "{name}(");
                self.put_one(out, value, Prec::Any, scalar);
                out.push(')');
            }
        }
    }

    fn multiply_add(&mut self, data: &InstData) -> Expr {
        let mut text = self.fresh();
        self.put_loose(&mut text, data.args[0], Prec::Product);
        text.push_str(" * ");
        self.put_loose(&mut text, data.args[1], Prec::Unary);
        text.push_str(" + ");
        self.put_loose(&mut text, data.args[2], Prec::Product);
        self.lanes(data, text, Prec::Sum)
    }

    /// The sum begins with 0, which makes a product of -0 a sum of +0.
    fn dot_of_scalars(&mut self, data: &InstData) -> Expr {
        let mut text = "0.0f + ".to_owned();
        self.put(&mut text, data.args[0], Prec::Product);
        text.push_str(" * ");
        self.put(&mut text, data.args[1], Prec::Unary);
        Expr::new(text, Prec::Sum)
    }

    fn saturate(&mut self, data: &InstData, ty: Type) -> Expr {
        let splat = self.is_splat(data);
        let mut text = "precise::clamp(".to_owned();
        self.put_one(&mut text, data.args[0], Prec::Any, splat);
        let _ = match type_name(ty) {
            _ if splat || ty.lanes == 1 => write!(text, ", 0.0f, 1.0f)"),
            name => write!(text, ", {name}(0.0f), {name}(1.0f))"),
        };
        Expr { splat, ..Expr::postfix(text) }
    }

    /// Metal's own `fract` never gives 1.
    fn fract(&mut self, data: &InstData) -> Expr {
        self.name(data.args[0]);
        let mut text = self.fresh();
        self.put_loose(&mut text, data.args[0], Prec::Sum);
        text.push_str(" - floor(");
        self.put_loose(&mut text, data.args[0], Prec::Any);
        text.push(')');
        self.lanes(data, text, Prec::Sum)
    }

    fn reciprocal(&mut self, data: &InstData) -> Expr {
        let mut text = "1.0f / ".to_owned();
        self.put_loose(&mut text, data.args[0], Prec::Unary);
        self.lanes(data, text, Prec::Product)
    }

    /// Metal leaves open what `abs` makes of the most negative number.
    fn integer_abs(&mut self, data: &InstData, ty: Type) -> Expr {
        let arg = data.args[0];
        self.name(arg);
        let splat = self.is_splat(data);
        let (mut plain, mut signed) = (String::new(), String::new());
        self.put_one(&mut plain, arg, Prec::Postfix, splat);
        self.put_signed(&mut signed, arg, Prec::Shift, splat);
        if splat || ty.lanes == 1 {
            Expr { splat, ..Expr::new(format!("{signed} < 0 ? -{plain} : {plain}"), Prec::Any) }
        } else {
            Expr::postfix(format!("select({plain}, -{plain}, {signed} < 0)"))
        }
    }

    /// C++ leaves shifts by 32 and more open.
    fn shift(&mut self, data: &InstData, ty: Type, operator: &str, read: Read) -> Expr {
        let splat = self.is_splat(data);
        let outer = if splat { component(ty) } else { ty };
        let (value, count) = (data.args[0], data.args[1]);
        let in_range = |bits: [u32; 4]| bits[..ty.lanes as usize].iter().all(|&bits| bits < 32);
        let mut by = self.fresh();
        self.put_one(&mut by, count, Prec::Unary, splat);
        let in_range = self.m.as_const(count).is_some_and(in_range);
        if !in_range {
            by = format!("({by} & 31u)");
        }
        let mut text = self.fresh();
        match read {
            Read::Plain => {
                self.put_one(&mut text, value, Prec::Unary, splat);
                let _ = write!(text, " {operator} {by}");
                Expr { splat, ..Expr::new(text, Prec::Shift) }
            }
            // The count has the type of what is shifted.
            Read::Signed => {
                self.put_signed(&mut text, value, Prec::Unary, splat);
                let by = if in_range { format!("({by})") } else { by };
                let _ = write!(text, " {operator} {}{by}", signed_name(outer));
                Expr { splat, ..Expr::unsigned(type_name(outer), &text) }
            }
        }
    }

    fn convert(&mut self, data: &InstData, ty: Type, read: Read) -> Expr {
        let splat = self.is_splat(data);
        let outer = if splat { component(ty) } else { ty };
        let mut text = format!("{}(", type_name(outer));
        match read {
            Read::Signed => self.put_signed(&mut text, data.args[0], Prec::Any, splat),
            Read::Plain => self.put_one(&mut text, data.args[0], Prec::Any, splat),
        }
        text.push(')');
        Expr { splat, ..Expr::postfix(text) }
    }

    fn differ(&mut self, data: &InstData) -> Expr {
        let mut text = self.fresh();
        for (i, &arg) in data.args.iter().enumerate() {
            text.push_str(if i > 0 { " != " } else { "" });
            let _ = write!(text, "bool(");
            self.put(&mut text, arg, Prec::Any);
            text.push(')');
        }
        Expr::new(text, Prec::Compare)
    }

    fn select(&mut self, data: &InstData) -> Expr {
        let (condition, yes, no) = (data.args[0], data.args[1], data.args[2]);
        let splat = self.is_splat(data);
        let mut text = self.fresh();
        if self.m.ty(condition).lanes == 1 || self.splat(condition).is_some() {
            self.put_loose(&mut text, condition, Prec::Or);
            for (mark, arg) in [(" ? ", yes), (" : ", no)] {
                text.push_str(mark);
                self.put_one(&mut text, arg, Prec::Or, splat);
            }
            return Expr { splat, ..Expr::new(text, Prec::Any) };
        }
        text.push_str("select(");
        self.put_list(&mut text, &[no, yes, condition]);
        text.push(')');
        Expr::postfix(text)
    }
}

fn put_signed_literal(out: &mut String, bits: u32, least: Prec) {
    let mut text = String::new();
    let prec = signed_literal(&mut text, bits);
    put_text(out, &text, prec, least);
}

fn constant(ty: Type, bits: [u32; 4]) -> Expr {
    let bits = &bits[..ty.lanes as usize];
    let mut text = String::new();
    if bits.iter().all(|&lane| lane == bits[0]) {
        let prec = literal(&mut text, ty.kind, bits[0]);
        return Expr::literal(text, prec, ty.lanes > 1);
    }
    let _ = write!(text, "{}(", type_name(ty));
    for (i, &lane) in bits.iter().enumerate() {
        text.push_str(if i > 0 { ", " } else { "" });
        literal(&mut text, ty.kind, lane);
    }
    text.push(')');
    Expr::postfix(text)
}
