//! Colours as signed bytes, in two parts: what a device can blend where its target has no signs.
//!
//! The byte that a colour becomes, read as two's complement, is either 0 to 127 or -128 to -1. A shader of part 1 writes the
//! first and 0 for the second, one of part 2 the second without its sign and 0 for the first. Drawn one after the other, one
//! of them added and the other subtracted, they do what a blend equation with a signed source does.

use afterimage_ir::{Args, Imm, Inst, Kind, Module, Op, OutputAt, Stage, Type, Value};
use smallvec::smallvec;

/// Makes the colour outputs of a pixel shader `part` of what they are; see
/// [`PixelOps::signed_part`](crate::PixelOps::signed_part). Any other number than 1 and 2 changes nothing.
pub(crate) fn split(m: &mut Module, part: u8) {
    if m.stage != Stage::Pixel || !matches!(part, 1 | 2) {
        return;
    }
    for region in 0..m.regions.len() {
        let old = std::mem::take(&mut m.regions[region].insts);
        let mut new = Vec::with_capacity(old.len() + 16);
        for inst in old {
            let data = m.inst(inst);
            if let (Op::StoreOutput, Imm::Output(output), &[value]) = (data.op, data.imm, data.args.as_slice()) {
                let decl = &m.outputs[output.index()];
                let ty = decl.ty;
                if matches!(decl.at, OutputAt::Location(_)) && ty.kind == Kind::Float {
                    let value = Tail { m, list: &mut new, ty }.part(value, part);
                    m.insts[inst.index()].args = smallvec![value];
                }
            }
            new.push(inst);
        }
        m.regions[region].insts = new;
    }
}

/// The end of a list of instructions that work on one type.
struct Tail<'a> {
    m: &'a mut Module,
    list: &'a mut Vec<Inst>,
    ty: Type,
}

impl Tail<'_> {
    fn push(&mut self, op: Op, args: Args, ty: Type) -> Value {
        self.push_with(op, Imm::None, args, ty)
    }

    fn push_with(&mut self, op: Op, imm: Imm, args: Args, ty: Type) -> Value {
        let inst = self.m.new_inst(op, imm, args, &[ty]);
        self.list.push(inst);
        self.m.inst(inst).results[0]
    }

    fn splat(&mut self, value: f32) -> Value {
        let mut bits = [0; 4];
        bits[..self.ty.lanes as usize].fill(value.to_bits());
        self.push_with(Op::Const, Imm::Const(bits), Args::new(), self.ty)
    }

    fn part(mut self, color: Value, part: u8) -> Value {
        let ty = self.ty;
        let [zero, most, middle, all] = [0.0, 255.0, 127.5, 256.0].map(|value| self.splat(value));
        let color = self.push(Op::FSat, smallvec![color], ty);
        let color = self.push(Op::FMul, smallvec![color, most], ty);
        let byte = self.push(Op::FRound, smallvec![color], ty);
        let positive = self.push(Op::FLt, smallvec![byte, middle], ty.with_kind(Kind::Bool));
        let args: Args = if part == 1 {
            smallvec![positive, byte, zero]
        } else {
            let negated = self.push(Op::FSub, smallvec![all, byte], ty);
            smallvec![positive, zero, negated]
        };
        let byte = self.push(Op::Select, args, ty);
        self.push(Op::FDiv, smallvec![byte, most], ty)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, PixelOps, Profile, RuntimeInfo, Shader};

    #[test]
    fn the_parts_of_every_byte_add_up() {
        let text = "pixel {\n  output out0 : f32x4 location 0\n  output out1 : f32 frag_depth\n  \
                    v0: f32x4 = const A, A, A, A\n  store_output out0, v0\n  v1: f32 = const 0.75\n  \
                    store_output out1, v1\n  return\n}";
        for byte in 0..=255u8 {
            let code = text.replace('A', &format!("{:?}", f32::from(byte) / 255.0));
            let shader = Shader::new(Language::Ir, code.as_bytes()).expect("valid");
            let part = |signed_part| {
                let pixel_ops = PixelOps { signed_part, ..PixelOps::default() };
                let runtime = RuntimeInfo { pixel_ops, ..RuntimeInfo::default() };
                let profile = Profile::default();
                assert_eq!(shader.normalized(&runtime).pixel_ops.signed_part, signed_part, "a module of its own");
                // All of it is constant, so the passes compute it.
                let text = shader.module(&profile, &runtime).expect("valid").to_string();
                assert!(text.contains("0.75"), "depth is as it was: {text}");
                let (_, rest) = text.split_once("f32x4 = const ").expect("a constant");
                let number = rest.split([',', '\n']).next().and_then(|n| n.trim().parse::<f32>().ok());
                (number.expect("a number") * 255.0).round() as i32
            };
            assert_eq!(part(1) - part(2), i32::from(byte as i8), "{byte}");
            assert_eq!(part(0), i32::from(byte));
        }
    }
}
