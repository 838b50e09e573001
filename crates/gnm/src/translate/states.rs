//! Blending, depth bounds, rasteriser.

use super::targets;
use afterimage_gnm_types::{View, enums, reg};
use afterimage_stream::packets::*;
use afterimage_stream::{Once, Port};
use smallvec::SmallVec;

/// What a draw copies of its depth target into colour target 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Copies {
    pub(super) depth: bool,
    pub(super) stencil: bool,
}

impl Copies {
    pub(super) fn of(registers: &View) -> Self {
        use reg::DB_RENDER_CONTROL as R;
        Self { depth: registers.is_set(R::DEPTH_COPY), stencil: registers.is_set(R::STENCIL_COPY) }
    }

    pub(super) fn any(self) -> bool {
        self.depth || self.stencil
    }
}

/// Whether the depth target is read or written. What copies it reads it in another way.
pub(super) fn uses_depth(registers: &View) -> bool {
    use reg::DB_DEPTH_CONTROL as D;
    if Copies::of(registers).any() {
        return false;
    }
    let clears = registers.get(reg::DB_RENDER_CONTROL)
        & (reg::DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE.bits(1) | reg::DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE.bits(1));
    let tests = [D::Z_ENABLE, D::STENCIL_ENABLE, D::DEPTH_BOUNDS_ENABLE];
    clears != 0 || tests.into_iter().any(|test| registers.is_set(test))
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

    /// It where no colour is written.
    pub(super) fn hidden(&self) -> Self {
        let all = SetBlend { write_masks: [0; 8], count: 0, ..self.all };
        Self { all, targets: SmallVec::new() }
    }
}

/// Blending, logic operation, write masks.
pub(super) fn blend(registers: &View, once: &mut Once) -> Blend {
    let rop = registers.field(reg::CB_COLOR_CONTROL::ROP3);
    let logic = enums::ROP3::of(rop).unwrap_or_else(|| {
        once.warn(format!(
            "CB_COLOR_CONTROL.ROP3 {rop:#x} reads source and brush, of which a pixel shader has one: colours are written as they are"
        ));
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

/// Depth bounds, for a target that has depth. `can`: the device has them.
pub(super) fn depth_bounds(registers: &View, has_depth: bool, can: bool, once: &mut Once) -> SetDepthBounds {
    if !registers.is_set(reg::DB_DEPTH_CONTROL::DEPTH_BOUNDS_ENABLE) || !has_depth {
        return SetDepthBounds::default();
    }
    if !can {
        once.warn(
            "DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE on a device without such a test (depthBounds): depth bounds do not apply",
        );
        return SetDepthBounds::default();
    }
    let bound = |register| {
        let depth = registers.float(register);
        if depth.is_nan() { 0.0 } else { depth.clamp(0.0, 1.0) }
    };
    let [min, max] = [reg::DB_DEPTH_BOUNDS_MIN, reg::DB_DEPTH_BOUNDS_MAX].map(bound);
    SetDepthBounds { enable: 1, min, max, pad: 0 }
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
    fn every_raster_operation_of_source_and_target_has_its_own() {
        let all: Vec<(u32, LogicOp)> = (0..256).filter_map(|rop| Some((rop, enums::ROP3::of(rop)?))).collect();
        let ops: std::collections::BTreeSet<_> = all.iter().map(|(_, op)| *op as u8).collect();
        assert_eq!((ops.len(), all.len()), (16, 28));
        // Bit n of a code is the result for bit 0 of n in the target, bit 1 in the source and bit 2 in the brush.
        for (rop, op) in all {
            let is_brush = rop & 15 != rop >> 4;
            let result = |source: u32, target: u32| {
                let (source, brush) = if is_brush { (0, source) } else { (source, 0) };
                rop >> (brush << 2 | source << 1 | target) & 1
            };
            let host = |source: u32, target: u32| match op {
                LogicOp::Clear => 0,
                LogicOp::And => source & target,
                LogicOp::AndReverse => source & !target & 1,
                LogicOp::Off | LogicOp::Copy => source,
                LogicOp::AndInverted => !source & target,
                LogicOp::NoOp => target,
                LogicOp::Xor => source ^ target,
                LogicOp::Or => source | target,
                LogicOp::Nor => !(source | target) & 1,
                LogicOp::Equivalent => !(source ^ target) & 1,
                LogicOp::Invert => !target & 1,
                LogicOp::OrReverse => (source | !target) & 1,
                LogicOp::CopyInverted => !source & 1,
                LogicOp::OrInverted => (!source | target) & 1,
                LogicOp::Nand => !(source & target) & 1,
                LogicOp::Set => 1,
            };
            for (source, target) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                assert_eq!(host(source, target), result(source, target), "{rop:#x} is {op:?}");
            }
        }
    }
}
