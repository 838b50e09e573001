//! Blending, depth and stencil tests, rasteriser.

use super::targets;
use afterimage_gnm_types::{View, enums, reg, value::*};
use afterimage_stream::packets::*;
use afterimage_stream::{Once, Port};
use smallvec::SmallVec;

/// Whether the depth target is read or written.
pub(super) fn uses_depth(registers: &View) -> bool {
    use reg::DB_DEPTH_CONTROL as D;
    let clears = registers.get(reg::DB_RENDER_CONTROL)
        & (reg::DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE.bits(1) | reg::DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE.bits(1));
    registers.is_set(D::Z_ENABLE) || registers.is_set(D::STENCIL_ENABLE) || clears != 0
}

/// Whether draws may change the depth target.
pub(super) fn writes_depth(registers: &View) -> bool {
    use reg::DB_DEPTH_CONTROL as D;
    let depth = registers.is_set(D::Z_ENABLE) && registers.is_set(D::Z_WRITE_ENABLE);
    depth || registers.is_set(D::STENCIL_ENABLE)
}

/// What blends into target `n`, without its write mask.
fn blend_target(registers: &View, n: u32, once: &mut Once) -> BlendTarget {
    use reg::CB_BLEND0_CONTROL as B;
    let control = registers.get_nth(reg::CB_BLEND0_CONTROL, n, 4);
    let info = registers.get_nth(reg::CB_COLOR0_INFO, n, 0x3C);
    if !B::ENABLE.is_set(control) || reg::CB_COLOR0_INFO::BLEND_BYPASS.is_set(info) {
        return BlendTarget::default();
    }
    let mut factor = |number: u32, otherwise: BlendFactor| {
        // None of `BLEND_BOTH_...`, which no program of this generation uses.
        enums::BLEND_OP::of(number).unwrap_or_else(|| {
            let name = enums::BLEND_OP.of(number).unwrap_or("?");
            once.warn(format!("CB_BLEND{n}_CONTROL: blend factor {number} ({name}) is not supported"));
            otherwise
        }) as u8
    };
    let color = [
        factor(B::COLOR_SRCBLEND.of(control), BlendFactor::One),
        factor(B::COLOR_DESTBLEND.of(control), BlendFactor::Zero),
        B::COLOR_COMB_FCN.of(control) as u8,
    ];
    let alpha = if B::SEPARATE_ALPHA_BLEND.is_set(control) {
        [
            factor(B::ALPHA_SRCBLEND.of(control), BlendFactor::One),
            factor(B::ALPHA_DESTBLEND.of(control), BlendFactor::Zero),
            B::ALPHA_COMB_FCN.of(control) as u8,
        ]
    } else {
        color
    };
    let mut op = |number: u8| {
        enums::COMB_FUNC::of(number.into()).unwrap_or_else(|| {
            once.warn(format!("CB_BLEND{n}_CONTROL: blend equation {number} is not known"));
            BlendOp::Add
        }) as u8
    };
    BlendTarget {
        enable: 1,
        src_color: color[0],
        dst_color: color[1],
        color_op: op(color[2]),
        src_alpha: alpha[0],
        dst_alpha: alpha[1],
        alpha_op: op(alpha[2]),
        write_mask: 0,
    }
}

/// A comparison; its field holds no other numbers.
fn compare(number: u32) -> u8 {
    enums::COMPARE_FRAG::of(number).unwrap_or(Compare::Always) as u8
}

/// A stencil operation as the host has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operation {
    op: StencilOp,
    /// The reference value that it writes, if it does.
    reference: Option<u8>,
    /// Bits that it changes: those of logic operations are those for which the host has one operation.
    bits: u8,
}

/// A stencil operation, for the value that is compared and the value for operations. None where no host does it.
fn stencil_op(number: u32, reference: u8, value: u8) -> Option<Operation> {
    use StencilOp as S;
    let (op, bits) = match (number, value) {
        (STENCIL_KEEP, _) | (STENCIL_ADD_CLAMP | STENCIL_SUB_CLAMP | STENCIL_ADD_WRAP | STENCIL_SUB_WRAP, 0) => {
            (S::Keep, 0)
        }
        (STENCIL_ZERO, _) | (STENCIL_SUB_CLAMP | STENCIL_NOR, 0xFF) => (S::Zero, 0xFF),
        (STENCIL_REPLACE_TEST, _) => return Some(Operation { op: S::Replace, reference: Some(reference), bits: 0xFF }),
        (STENCIL_REPLACE_OP, _) => return Some(Operation { op: S::Replace, reference: Some(value), bits: 0xFF }),
        (STENCIL_ONES, _) | (STENCIL_ADD_CLAMP, 0xFF) | (STENCIL_NAND, 0) => (S::Replace, 0xFF),
        (STENCIL_ADD_CLAMP, 1) => (S::IncrementClamp, 0xFF),
        (STENCIL_SUB_CLAMP, 1) => (S::DecrementClamp, 0xFF),
        (STENCIL_ADD_WRAP, 1) | (STENCIL_SUB_WRAP, 0xFF) => (S::IncrementWrap, 0xFF),
        (STENCIL_SUB_WRAP, 1) | (STENCIL_ADD_WRAP, 0xFF) => (S::DecrementWrap, 0xFF),
        (STENCIL_INVERT, _) | (STENCIL_NAND, 0xFF) | (STENCIL_NOR, 0) => (S::Invert, 0xFF),
        (STENCIL_AND, _) => (S::Zero, !value),
        (STENCIL_OR, _) => (S::Replace, value),
        (STENCIL_XOR, _) => (S::Invert, value),
        (STENCIL_XNOR, _) => (S::Invert, !value),
        _ => return None,
    };
    Some(Operation { op, reference: (op == S::Replace).then_some(0xFF), bits })
}

/// What a face has of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HostFace {
    face: StencilFace,
    reference: u8,
    read_mask: u8,
    write_mask: u8,
}

/// A face's words: comparison, operations on failure, pass and depth failure, and the register with masks and values.
#[derive(Clone, Copy)]
struct Face {
    compare: u32,
    ops: [u32; 3],
    values: u32,
}

impl Face {
    fn of(registers: &View, back: bool) -> Self {
        use reg::DB_STENCIL_CONTROL as S;
        let control = registers.get(reg::DB_STENCIL_CONTROL);
        let depth = registers.get(reg::DB_DEPTH_CONTROL);
        if back {
            Self {
                compare: reg::DB_DEPTH_CONTROL::STENCILFUNC_BF.of(depth),
                ops: [S::STENCILFAIL_BF, S::STENCILZPASS_BF, S::STENCILZFAIL_BF].map(|field| field.of(control)),
                values: registers.get(reg::DB_STENCILREFMASK_BF),
            }
        } else {
            Self {
                compare: reg::DB_DEPTH_CONTROL::STENCILFUNC.of(depth),
                ops: [S::STENCILFAIL, S::STENCILZPASS, S::STENCILZFAIL].map(|field| field.of(control)),
                values: registers.get(reg::DB_STENCILREFMASK),
            }
        }
    }

    /// The host has one reference value and one mask for all operations of a face: what does not agree with an operation before it
    /// keeps what is there. The value that is compared is free where the comparison's outcome does not depend on it.
    fn host(&self, once: &mut Once) -> HostFace {
        let [compared, read_mask, write_mask, value] = self.values.to_le_bytes();
        let mut reference = (!matches!(self.compare, FRAG_ALWAYS | FRAG_NEVER)).then_some(compared);
        let mut bits = None;
        // Passing comes first: it is what most programs change stencils for.
        let [pass, fail, depth_fail] = [self.ops[1], self.ops[0], self.ops[2]].map(|number| {
            let found = stencil_op(number, compared, value).filter(|found| {
                let agrees = |held: Option<u8>, wanted: u8| held.is_none_or(|held| held == wanted);
                found.op == StencilOp::Keep
                    || found.reference.is_none_or(|wanted| agrees(reference, wanted)) && agrees(bits, found.bits)
            });
            let Some(found) = found else {
                let name = enums::STENCIL_OP.of(number).unwrap_or("?");
                once.warn(format!(
                    "stencil operation {name} with the value {value} is not supported beside a comparison and other operations \
                     of the face: it keeps what is there"
                ));
                return StencilOp::Keep as u8;
            };
            if found.op != StencilOp::Keep {
                (reference, bits) = (found.reference.or(reference), Some(found.bits));
            }
            found.op as u8
        });
        HostFace {
            face: StencilFace { compare: compare(self.compare), fail, depth_fail, pass },
            reference: reference.unwrap_or(compared),
            read_mask,
            write_mask: write_mask & bits.unwrap_or(0xFF),
        }
    }
}

/// 12.4 fixed point of half a size.
fn size(half: u32) -> f32 {
    half as f32 / 8.0
}

/// Pixels of the side of a point whose size no program says, within its limits.
pub(super) fn point_size(registers: &View) -> f32 {
    let limits = registers.get(reg::PA_SU_POINT_MINMAX);
    let most = size(limits >> 16).max(1.0);
    size(registers.get(reg::PA_SU_POINT_SIZE) >> 16).clamp(1.0, most).max(size(limits & 0xFFFF))
}

/// What is done with colours: the body, and its tail of targets that differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Blend {
    pub(super) all: SetBlend,
    pub(super) targets: SmallVec<[BlendTarget; 8]>,
}

impl Blend {
    /// Sends it.
    pub(super) fn push(&self, port: &mut Port) {
        port.push_tail(&self.all, &self.targets);
    }
}

/// Blending, logic operation, write masks.
pub(super) fn blend(registers: &View, once: &mut Once) -> Blend {
    let rop = registers.field(reg::CB_COLOR_CONTROL::ROP3);
    // Those that depend on source and target alone.
    let logic = enums::ROP3::of(rop).unwrap_or_else(|| {
        once.warn(format!("CB_COLOR_CONTROL.ROP3 {rop:#x} is not supported: colours are written as they are"));
        LogicOp::Off
    });
    let mut all = [BlendTarget::default(); 8];
    let mut used = 0;
    for n in 0..8 {
        let mask = targets::write_mask(registers, n);
        if mask == 0 {
            continue;
        }
        let Ok(Some(format)) = targets::color_format(registers, n) else { continue };
        let target = &mut all[n as usize];
        *target = blend_target(registers, n, once);
        if format.format.is_integer() {
            *target = BlendTarget::default();
        }
        target.write_mask = format.stored(mask);
        used = n as usize + 1;
    }
    let constant = [reg::CB_BLEND_RED, reg::CB_BLEND_GREEN, reg::CB_BLEND_BLUE, reg::CB_BLEND_ALPHA]
        .map(|register| f32::from_bits(registers.get(register)))
        .map(|channel| if channel.is_finite() { channel } else { 0.0 });
    let first = all[0];
    // Targets that blend alike need no more than the body that every guest sends.
    let alike =
        |target: &BlendTarget| BlendTarget { write_mask: 0, ..*target } == BlendTarget { write_mask: 0, ..first };
    let targets: &[BlendTarget] = if all[..used].iter().all(alike) { &[] } else { &all[..used] };
    let blend = SetBlend {
        enable: first.enable,
        src_color: first.src_color,
        dst_color: first.dst_color,
        color_op: first.color_op,
        src_alpha: first.src_alpha,
        dst_alpha: first.dst_alpha,
        alpha_op: first.alpha_op,
        logic_op: logic as u8,
        write_masks: all.map(|target| target.write_mask),
        constant,
        count: targets.len() as u32,
        pad: 0,
    };
    Blend { all: blend, targets: SmallVec::from_slice(targets) }
}

/// Depth and stencil tests, for a target that has depth, and stencil.
pub(super) fn depth_stencil(registers: &View, [has_depth, has_stencil]: [bool; 2], once: &mut Once) -> SetDepthStencil {
    use reg::DB_DEPTH_CONTROL as D;
    let mut state = SetDepthStencil::default();
    if has_depth && registers.is_set(D::Z_ENABLE) {
        state.depth_test = 1;
        let read_only = registers.is_set(reg::DB_DEPTH_VIEW::Z_READ_ONLY);
        state.depth_write = (registers.is_set(D::Z_WRITE_ENABLE) && !read_only).into();
        state.depth_compare = compare(registers.field(D::ZFUNC));
    }
    if registers.is_set(D::DEPTH_BOUNDS_ENABLE) {
        once.warn("DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE is not supported: depth bounds do not apply");
    }
    if has_stencil && registers.is_set(D::STENCIL_ENABLE) {
        let front = Face::of(registers, false);
        let back = if registers.is_set(D::BACKFACE_ENABLE) { Face::of(registers, true) } else { front };
        let read_only = registers.is_set(reg::DB_DEPTH_VIEW::STENCIL_READ_ONLY);
        let [front, back] = [front, back].map(|face| {
            let face = face.host(once);
            HostFace { write_mask: if read_only { 0 } else { face.write_mask }, ..face }
        });
        state.stencil_test = 1;
        (state.front, state.back) = (front.face, back.face);
        (state.reference, state.read_mask, state.write_mask) = (front.reference, front.read_mask, front.write_mask);
        if (HostFace { face: front.face, ..back }) != front {
            let HostFace { reference, read_mask, write_mask, .. } = back;
            state.own_back = StencilBack { enable: 1, reference, read_mask, write_mask, pad: [0; 4] };
        }
    }
    state
}

/// The rasteriser. None if every polygon is culled and `polygons` are to be drawn.
pub(super) fn raster(registers: &View, polygons: bool, once: &mut Once) -> Option<SetRaster> {
    use reg::PA_SU_SC_MODE_CNTL as M;
    let mode = registers.get(reg::PA_SU_SC_MODE_CNTL);
    let cull = match (M::CULL_FRONT.is_set(mode), M::CULL_BACK.is_set(mode)) {
        (true, true) if polygons => return None,
        (true, false) => Cull::Front,
        (false, true) => Cull::Back,
        _ => Cull::None,
    };
    let fill = |kind: u32| match kind {
        _ if !M::POLY_MODE.is_set(mode) => Fill::Solid,
        0 => Fill::Point,
        1 => Fill::Line,
        _ => Fill::Solid,
    } as u8;
    let float = |register| {
        let value = f32::from_bits(registers.get(register));
        if value.is_finite() { value } else { 0.0 }
    };
    // Without a front face that is drawn, the back's offset counts.
    let front = M::POLY_OFFSET_FRONT_ENABLE.is_set(mode) && cull != Cull::Front;
    let back = M::POLY_OFFSET_BACK_ENABLE.is_set(mode) && cull != Cull::Back;
    let lines = M::POLY_OFFSET_PARA_ENABLE.is_set(mode) && !polygons;
    let (scale, offset) = if front || lines {
        (float(reg::PA_SU_POLY_OFFSET_FRONT_SCALE), float(reg::PA_SU_POLY_OFFSET_FRONT_OFFSET))
    } else {
        (float(reg::PA_SU_POLY_OFFSET_BACK_SCALE), float(reg::PA_SU_POLY_OFFSET_BACK_OFFSET))
    };
    if (front || back || lines) && float(reg::PA_SU_POLY_OFFSET_CLAMP) != 0.0 {
        once.warn("PA_SU_POLY_OFFSET_CLAMP is not supported: polygon offsets have no limit");
    }
    // The unit is one step of the depth format, 2 to the power of a negative number of bits.
    let step = 2f32
        .powi(i32::from(registers.field(reg::PA_SU_POLY_OFFSET_DB_FMT_CNTL::POLY_OFFSET_NEG_NUM_DB_BITS) as u8 as i8));
    let clip = registers.get(reg::PA_CL_CLIP_CNTL);
    let clamps = reg::PA_CL_CLIP_CNTL::ZCLIP_NEAR_DISABLE.is_set(clip)
        || reg::PA_CL_CLIP_CNTL::ZCLIP_FAR_DISABLE.is_set(clip)
        || reg::PA_CL_CLIP_CNTL::CLIP_DISABLE.is_set(clip);
    let points = registers.get(reg::PA_SU_POINT_SIZE);
    let limits = registers.get(reg::PA_SU_POINT_MINMAX);
    if points & 0xFFFF != points >> 16 {
        once.warn("PA_SU_POINT_SIZE has points that are no squares, which is not supported: their width counts");
    }
    Some(SetRaster {
        cull: cull as u8,
        front_ccw: (!M::FACE.is_set(mode)).into(),
        fill: fill(M::POLYMODE_FRONT_PTYPE.of(mode)),
        fill_back: fill(M::POLYMODE_BACK_PTYPE.of(mode)),
        depth_clip: (!clamps).into(),
        bias_enable: (front || back || lines).into(),
        line_mode: LineMode::Default as u8,
        provoking: if M::PROVOKING_VTX_LAST.is_set(mode) { Provoking::Last } else { Provoking::First } as u8,
        depth_bias: offset * step,
        slope_bias: scale / 16.0,
        point_size: size(points >> 16).max(1.0),
        sample_mask: registers.get(reg::PA_SC_AA_MASK_X0Y0_X1Y0) & 0xFFFF,
        point_size_min: size(limits & 0xFFFF),
        point_size_max: size(limits >> 16),
        line_width: size(registers.field(reg::PA_SU_LINE_CNTL::WIDTH)),
        alpha_to_coverage: registers.is_set(reg::DB_ALPHA_TO_MASK::ALPHA_TO_MASK_ENABLE).into(),
        discard: 0,
        pad: [0; 2],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_with_a_value_are_done_where_the_host_can() {
        let host = |compare, op, values| {
            Face { compare, ops: [STENCIL_KEEP, op, STENCIL_KEEP], values }.host(&mut Once::default())
        };
        let pass = |face: HostFace| (face.face.pass, face.reference, face.write_mask);
        let replace = StencilOp::Replace as u8;
        assert_eq!(pass(host(FRAG_ALWAYS, STENCIL_ONES, 0x01FF_0003)), (replace, 0xFF, 0xFF));
        assert_eq!(pass(host(FRAG_ALWAYS, STENCIL_REPLACE_OP, 0x07F0_0003)), (replace, 7, 0xF0));
        assert_eq!(pass(host(FRAG_EQUAL, STENCIL_REPLACE_OP, 0x07FF_0003)), (StencilOp::Keep as u8, 3, 0xFF));
        assert_eq!(pass(host(FRAG_EQUAL, STENCIL_ADD_CLAMP, 0x01FF_0003)), (StencilOp::IncrementClamp as u8, 3, 0xFF));
        assert_eq!(pass(host(FRAG_EQUAL, STENCIL_AND, 0x3CFF_0003)), (StencilOp::Zero as u8, 3, 0xC3));
        // Of operations that change other bits, the second is left out.
        let ops = [STENCIL_XOR, STENCIL_ZERO, STENCIL_KEEP];
        let both = Face { compare: FRAG_EQUAL, ops, values: 0x0FFF_0003 }.host(&mut Once::default());
        assert_eq!((both.face.pass, both.face.fail, both.write_mask), (StencilOp::Zero as u8, 0, 0xFF));
    }

    /// What the hardware does with a stored value.
    fn hardware(number: u32, stored: u8, reference: u8, value: u8) -> u8 {
        match number {
            STENCIL_KEEP => stored,
            STENCIL_ZERO => 0,
            STENCIL_ONES => 0xFF,
            STENCIL_REPLACE_TEST => reference,
            STENCIL_REPLACE_OP => value,
            STENCIL_ADD_CLAMP => stored.saturating_add(value),
            STENCIL_SUB_CLAMP => stored.saturating_sub(value),
            STENCIL_INVERT => !stored,
            STENCIL_ADD_WRAP => stored.wrapping_add(value),
            STENCIL_SUB_WRAP => stored.wrapping_sub(value),
            STENCIL_AND => stored & value,
            STENCIL_OR => stored | value,
            STENCIL_XOR => stored ^ value,
            STENCIL_NAND => !(stored & value),
            STENCIL_NOR => !(stored | value),
            _ => !(stored ^ value),
        }
    }

    #[test]
    fn every_stencil_operation_that_is_done_is_done_right() {
        let mut done = [0; 16];
        for (number, value) in (0..16).flat_map(|number| (0..=255).map(move |value| (number, value))) {
            let Some(Operation { op, reference, bits }) = stencil_op(number, 0x5A, value) else { continue };
            done[number as usize] += 1;
            for stored in 0..=255u8 {
                let whole = match op {
                    StencilOp::Keep => stored,
                    StencilOp::Zero => 0,
                    StencilOp::Replace => reference.unwrap(),
                    StencilOp::IncrementClamp => stored.saturating_add(1),
                    StencilOp::DecrementClamp => stored.saturating_sub(1),
                    StencilOp::Invert => !stored,
                    StencilOp::IncrementWrap => stored.wrapping_add(1),
                    StencilOp::DecrementWrap => stored.wrapping_sub(1),
                };
                let left = stored & !bits | whole & bits;
                assert_eq!(left, hardware(number, stored, 0x5A, value), "operation {number}, {value} on {stored}");
            }
        }
        assert_eq!(done, [256, 256, 256, 256, 256, 3, 3, 256, 3, 3, 256, 256, 256, 2, 2, 256]);
    }

    #[test]
    fn every_raster_operation_of_source_and_target_has_its_own() {
        let ops: std::collections::BTreeSet<_> = (0..256).filter_map(enums::ROP3::of).map(|op| op as u8).collect();
        assert_eq!(ops.len(), 16);
    }
}
