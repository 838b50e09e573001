//! The calls that become words, as structures. Each is written in either encoding: as the hardware's packets, the way the console's
//! library writes them, or as one private packet that carries the structure.
//!
//! A call takes the number of words that the console's library asks for, whatever the encoding: a program reserves them. Source of
//! the sizes, of the order of registers and of the packets: shadPS4, `src/core/libraries/gnmdriver/gnmdriver.cpp` (behaviour and
//! numbers), and `docs/sources/gnm.md#the-library`.

use super::words::Words;
use super::{CallError, Stage, default_state, embedded};
use afterimage_gnm_types::packets::{COMPUTE, Header, PREDICATE, PRIVATE};
use afterimage_gnm_types::{op, reg};
use bytemuck::Pod;

/// Words of the longest call.
pub const LONGEST: usize = 256;

/// A call.
pub trait Call: Pod {
    /// Its number in private packets, 1 to 63.
    const OPERATION: u8;
    /// Words that it takes.
    const WORDS: usize;
    /// The library's name of it, without the prefix.
    const NAME: &'static str;

    /// Writes it as the hardware's packets, into exactly [`Call::WORDS`] words.
    ///
    /// # Errors
    /// If a parameter is one that the library refuses.
    fn write(&self, out: &mut [u32]) -> Result<(), CallError>;

    /// Writes it as a private packet, into exactly [`Call::WORDS`] words.
    ///
    /// # Errors
    /// If a parameter is one that the library refuses.
    fn write_private(&self, out: &mut [u32]) -> Result<(), CallError> {
        // What is refused in one encoding is refused in the other.
        self.write(&mut [0; LONGEST][..Self::WORDS])?;
        // Calls without fields have no alignment.
        let fields: &[u32] = bytemuck::try_cast_slice(std::slice::from_ref(self)).unwrap_or(&[]);
        let size = CallError::Size { got: out.len(), wanted: Self::WORDS };
        let [header, body @ ..] = out else { return Err(size) };
        if body.len() + 1 != Self::WORDS {
            return Err(size);
        }
        *header = Header::packet(PRIVATE, Self::WORDS as u32 - 1) | u32::from(Self::OPERATION) << 2;
        let (front, behind) = body.split_at_mut(fields.len());
        front.copy_from_slice(fields);
        behind.fill(0);
        Ok(())
    }
}

macro_rules! calls {
    ($(
        $(#[$doc:meta])* $operation:literal $name:ident $words:literal {
            $( $(#[$fdoc:meta])* $field:ident: $type:ty ),* $(,)?
        }
        ($this:ident, $out:ident) $body:block
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
            #[repr(C)]
            pub struct $name { $( $(#[$fdoc])* pub $field: $type ),* }

            impl Call for $name {
                const OPERATION: u8 = $operation;
                const WORDS: usize = $words;
                const NAME: &'static str = stringify!($name);

                fn write(&self, out: &mut [u32]) -> Result<(), CallError> {
                    if out.len() != $words {
                        return Err(CallError::Size { got: out.len(), wanted: $words });
                    }
                    let $this = self;
                    let mut words = Words::new(out);
                    let $out = &mut words;
                    $body
                    words.pad()
                }
            }

            const _: () = assert!($words <= LONGEST && size_of::<$name>() / 4 < $words && $operation > 0 && $operation < 64);
        )*

        /// Every call: its number in private packets, its words, its name.
        pub const CALLS: &[(u8, usize, &str)] = &[ $( ($operation, $words, stringify!($name)) ),* ];

        /// A private packet as text: the call and its parameters; none where there is no such call.
        #[must_use]
        pub fn describe_private(operation: u8, body: &[u32]) -> Option<String> {
            match operation {
                $( $operation if body.len() + 1 == $words => {
                    let bytes = bytemuck::cast_slice::<u32, u8>(&body[..size_of::<$name>() / 4]);
                    Some(format!("{:x?}", bytemuck::pod_read_unaligned::<$name>(bytes)))
                } )*
                _ => None,
            }
        }

        /// The hardware's packets that a private packet stands for, in the first words of `out`; none where there is no such call.
        pub(crate) fn expand<'a>(operation: u8, body: &[u32], out: &'a mut [u32; LONGEST]) -> Option<&'a [u32]> {
            match operation {
                $( $operation if body.len() + 1 == $words => {
                    let bytes = bytemuck::cast_slice::<u32, u8>(&body[..size_of::<$name>() / 4]);
                    let call: $name = bytemuck::pod_read_unaligned(bytes);
                    let out = &mut out[..$words];
                    call.write(out).ok()?;
                    Some(out)
                } )*
                _ => None,
            }
        }
    };
}

/// Bits of flags that the library refuses in direct draws.
const REFUSED_FLAGS: u32 = 0x1FFF_FFFE;

fn refuse(field: &'static str, value: u32, refused: bool) -> Result<(), CallError> {
    if refused { Err(CallError::Value { field, value }) } else { Ok(()) }
}

/// The predicate bit of a header, by the lowest bit of flags.
fn predicate(flags: u32) -> u32 {
    if flags & 1 != 0 { PREDICATE } else { 0 }
}

/// The initiator of a dispatch, by its flags: the shader is enabled, and the order of appends.
fn initiator(flags: u32) -> u32 {
    flags & 0x18 | 1
}

/// A place for a part of an indirect draw: a user SGPR of a stage, or none.
fn place(stage: u32, register: u32, field: &'static str) -> Result<u32, CallError> {
    let stage = Stage::ALL.get(stage as usize).ok_or(CallError::Value { field: "stage", value: stage })?;
    refuse(field, register, register >= 16)?;
    Ok(if register == 0 { 0 } else { (stage.user_data() - 0xB000) / 4 + register })
}

/// The words of an indirect draw, whose first vertex and instance go into user SGPRs of a stage.
fn indirect(data_offset: u32, stage: u32, [vertex, instance]: [u32; 2], initiator: u32) -> Result<[u32; 4], CallError> {
    Ok([data_offset, place(stage, vertex, "vertex_sgpr")?, place(stage, instance, "instance_sgpr")?, initiator])
}

/// The first resource word with a modifier in place of some of its bits.
fn modified(rsrc1: u32, modifier: u32, mask: u32) -> Result<u32, CallError> {
    refuse("modifier", modifier, modifier & !mask != 0)?;
    Ok(if modifier == 0 { rsrc1 } else { rsrc1 & !mask | modifier })
}

/// Bits that modifiers of export and vertex shaders change: SGPRs and the component count.
const MODIFIES: u32 = 0x0300_03C0;
/// Bits that modifiers of compute shaders change: SGPRs.
const MODIFIES_SGPRS: u32 = 0x0000_03C0;

/// Program addresses are below 2^40, or the library refuses them.
fn program(registers: &[u32]) -> Result<[u32; 2], CallError> {
    refuse("address (high half)", registers[1], registers[1] != 0)?;
    Ok([registers[0], 0])
}

fn pixel_shader(out: &mut Words<'_>, regs: &[u32; 12], update: bool) -> Result<(), CallError> {
    out.set(reg::SPI_SHADER_PGM_LO_PS, &program(regs)?)?;
    out.set(reg::SPI_SHADER_PGM_RSRC1_PS, &regs[2..4])?;
    let context: [(u32, &[u32]); 6] = [
        (reg::SPI_SHADER_Z_FORMAT, &regs[4..6]),
        (reg::SPI_PS_INPUT_ENA, &regs[6..8]),
        (reg::SPI_PS_IN_CONTROL, &regs[8..9]),
        (reg::SPI_BARYC_CNTL, &regs[9..10]),
        (reg::DB_SHADER_CONTROL, &regs[10..11]),
        (reg::CB_SHADER_MASK, &regs[11..12]),
    ];
    context.into_iter().try_for_each(|(register, values)| context_registers(out, register, values, update))
}

fn vertex_shader(out: &mut Words<'_>, regs: &[u32; 7], rsrc1: u32, update: bool) -> Result<(), CallError> {
    out.set(reg::SPI_SHADER_PGM_LO_VS, &program(regs)?)?;
    out.set(reg::SPI_SHADER_PGM_RSRC1_VS, &[rsrc1, regs[3]])?;
    context_registers(out, reg::PA_CL_VS_OUT_CNTL, &regs[6..7], update)?;
    context_registers(out, reg::SPI_VS_OUT_CONFIG, &regs[4..5], update)?;
    context_registers(out, reg::SPI_SHADER_POS_FORMAT, &regs[5..6], update)
}

/// Context registers of a shader. An update changes none: it is for shaders that want the same.
fn context_registers(out: &mut Words<'_>, register: u32, values: &[u32], update: bool) -> Result<(), CallError> {
    if update { out.update(register, values) } else { out.set(register, values) }
}

calls! {
    /// `DrawIndex`: a draw with indices at an address.
    1 DrawIndex 10 {
        /// Indices.
        index_count: u32,
        /// Guest address of the first, low and high half.
        index_address: [u32; 2],
        /// Predication and modifiers; direct draws take none.
        flags: u32,
        /// How indices are given; 0.
        kind: u32,
    }
    (call, out) {
        refuse("index address", call.index_address[0], call.index_address == [0; 2] || call.index_address[0] & 1 != 0)?;
        refuse("flags", call.flags, call.flags & REFUSED_FLAGS != 0)?;
        let [low, high] = call.index_address;
        out.packet(op::DRAW_INDEX_2, 0, &[call.index_count, low, high, call.index_count, 0])?;
    }

    /// `DrawIndexAuto`: a draw without indices.
    2 DrawIndexAuto 7 {
        /// Vertices.
        index_count: u32,
        /// Predication and modifiers; direct draws take none.
        flags: u32,
    }
    (call, out) {
        refuse("flags", call.flags, call.flags & REFUSED_FLAGS != 0)?;
        out.packet(op::DRAW_INDEX_AUTO, 0, &[call.index_count, 2])?;
    }

    /// `DrawIndexOffset`: a draw with indices of the buffer that `INDEX_BASE` says.
    3 DrawIndexOffset 9 {
        /// The first index.
        index_offset: u32,
        /// Indices.
        index_count: u32,
        /// Predication and modifiers.
        flags: u32,
    }
    (call, out) {
        let body = [call.index_count, call.index_offset, call.index_count, 0];
        out.packet(op::DRAW_INDEX_OFFSET_2, predicate(call.flags), &body)?;
    }

    /// `DrawIndexIndirect`: a draw whose parts are in memory.
    4 DrawIndexIndirect 9 {
        /// Bytes from the base of indirect draws.
        data_offset: u32,
        /// Stage that gets first vertex and instance: [`Stage`].
        stage: u32,
        /// User SGPR of the first vertex; 0 for none.
        vertex_sgpr: u32,
        /// User SGPR of the first instance; 0 for none.
        instance_sgpr: u32,
        /// Predication and modifiers.
        flags: u32,
    }
    (call, out) {
        let body = indirect(call.data_offset, call.stage, [call.vertex_sgpr, call.instance_sgpr], 0)?;
        out.packet(op::DRAW_INDEX_INDIRECT, predicate(call.flags), &body)?;
    }

    /// `DrawIndirect`: a draw without indices whose parts are in memory.
    5 DrawIndirect 9 {
        /// Bytes from the base of indirect draws.
        data_offset: u32,
        /// Stage that gets first vertex and instance: [`Stage`].
        stage: u32,
        /// User SGPR of the first vertex; 0 for none.
        vertex_sgpr: u32,
        /// User SGPR of the first instance; 0 for none.
        instance_sgpr: u32,
        /// Predication and modifiers.
        flags: u32,
    }
    (call, out) {
        let body = indirect(call.data_offset, call.stage, [call.vertex_sgpr, call.instance_sgpr], 2)?;
        out.packet(op::DRAW_INDIRECT, predicate(call.flags), &body)?;
    }

    /// `DispatchDirect`: groups of a compute shader.
    6 DispatchDirect 9 {
        /// Groups in x, y and z.
        groups: [u32; 3],
        /// Predication, and the order of appends.
        flags: u32,
    }
    (call, out) {
        let [x, y, z] = call.groups;
        refuse("groups", x | y | z, (x | y | z) >> 31 != 0)?;
        out.packet(op::DISPATCH_DIRECT, COMPUTE | predicate(call.flags), &[x, y, z, initiator(call.flags)])?;
    }

    /// `DispatchIndirect`: groups of a compute shader, whose numbers are in memory.
    7 DispatchIndirect 7 {
        /// Bytes from the base of indirect draws.
        data_offset: u32,
        /// Predication, and the order of appends.
        flags: u32,
    }
    (call, out) {
        let body = [call.data_offset, initiator(call.flags)];
        out.packet(op::DISPATCH_INDIRECT, COMPUTE | predicate(call.flags), &body)?;
    }

    /// `SetVsShader`.
    8 SetVsShader 29 {
        /// Program low and high, `RSRC1`, `RSRC2`, `SPI_VS_OUT_CONFIG`, `SPI_SHADER_POS_FORMAT`, `PA_CL_VS_OUT_CNTL`.
        regs: [u32; 7],
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) { vertex_shader(out, &call.regs, modified(call.regs[2], call.modifier, MODIFIES)?, false)?; }

    /// `UpdateVsShader`: the same where the context registers stay as they are.
    9 UpdateVsShader 29 {
        /// As of [`SetVsShader`].
        regs: [u32; 7],
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) { vertex_shader(out, &call.regs, modified(call.regs[2], call.modifier, MODIFIES)?, true)?; }

    /// `SetPsShader`.
    10 SetPsShader 40 {
        /// Program low and high, `RSRC1`, `RSRC2`, `SPI_SHADER_Z_FORMAT`, `SPI_SHADER_COL_FORMAT`, `SPI_PS_INPUT_ENA`,
        /// `SPI_PS_INPUT_ADDR`, `SPI_PS_IN_CONTROL`, `SPI_BARYC_CNTL`, `DB_SHADER_CONTROL`, `CB_SHADER_MASK`.
        regs: [u32; 12],
    }
    (call, out) { pixel_shader(out, &call.regs, false)?; }

    /// `UpdatePsShader`: the same where the context registers stay as they are.
    11 UpdatePsShader 40 {
        /// As of [`SetPsShader`].
        regs: [u32; 12],
    }
    (call, out) { pixel_shader(out, &call.regs, true)?; }

    /// `SetPsShader` without a shader: nothing but depth is written.
    12 SetNoPsShader 40 {
        /// Value of `CB_SHADER_MASK`, which newer libraries set to 15; older ones leave it, as `u32::MAX` does.
        shader_mask: u32,
    }
    (call, out) {
        out.set(reg::SPI_SHADER_PGM_LO_PS, &[0, 0])?;
        out.set(reg::DB_SHADER_CONTROL, &[0])?;
        if call.shader_mask != u32::MAX {
            out.set(reg::CB_SHADER_MASK, &[call.shader_mask])?;
        }
    }

    /// `SetCsShader`, `SetCsShaderWithModifier`.
    13 SetCsShader 25 {
        /// Program low and high, `RSRC1`, `RSRC2`, `COMPUTE_NUM_THREAD_X`, `_Y`, `_Z`.
        regs: [u32; 7],
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) {
        let regs = &call.regs;
        out.set(reg::COMPUTE_PGM_LO, &program(regs)?)?;
        out.set(reg::COMPUTE_PGM_RSRC1, &[modified(regs[2], call.modifier, MODIFIES_SGPRS)?, regs[3]])?;
        out.set(reg::COMPUTE_NUM_THREAD_X, &regs[4..7])?;
    }

    /// `SetEsShader`.
    14 SetEsShader 20 {
        /// Program low and high, `RSRC1`, `RSRC2`.
        regs: [u32; 4],
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) {
        let regs = &call.regs;
        out.set(reg::SPI_SHADER_PGM_LO_ES, &program(regs)?)?;
        out.set(reg::SPI_SHADER_PGM_RSRC1_ES, &[modified(regs[2], call.modifier, MODIFIES)?, regs[3]])?;
    }

    /// `SetGsShader`.
    15 SetGsShader 29 {
        /// Program low and high, `RSRC1`, `RSRC2`, `VGT_STRMOUT_CONFIG`, `VGT_GS_OUT_PRIM_TYPE`, `VGT_GS_INSTANCE_CNT`.
        regs: [u32; 7],
    }
    (call, out) { geometry_shader(out, &call.regs, false)?; }

    /// `UpdateGsShader`: the same where the context registers stay as they are.
    16 UpdateGsShader 29 {
        /// As of [`SetGsShader`].
        regs: [u32; 7],
    }
    (call, out) { geometry_shader(out, &call.regs, true)?; }

    /// `SetHsShader`.
    17 SetHsShader 30 {
        /// Program low and high, `RSRC1`, `RSRC2`, `VGT_TF_PARAM`, `VGT_HOS_MAX_TESS_LEVEL`, `VGT_HOS_MIN_TESS_LEVEL`.
        regs: [u32; 7],
        /// `VGT_LS_HS_CONFIG`.
        ls_hs_config: u32,
    }
    (call, out) { hull_shader(out, &call.regs, call.ls_hs_config, false)?; }

    /// `UpdateHsShader`: the same where the context registers stay as they are.
    18 UpdateHsShader 30 {
        /// As of [`SetHsShader`].
        regs: [u32; 7],
        /// `VGT_LS_HS_CONFIG`.
        ls_hs_config: u32,
    }
    (call, out) { hull_shader(out, &call.regs, call.ls_hs_config, true)?; }

    /// `SetLsShader`.
    19 SetLsShader 23 {
        /// Program low and high, `RSRC1`, `RSRC2`.
        regs: [u32; 4],
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) {
        let regs = &call.regs;
        let rsrc1 = modified(regs[2], call.modifier, MODIFIES)?;
        out.set(reg::SPI_SHADER_PGM_LO_LS, &program(regs)?)?;
        // The hardware wants the second word before the first, and again.
        out.set(reg::SPI_SHADER_PGM_RSRC2_LS, &regs[3..4])?;
        out.set(reg::SPI_SHADER_PGM_RSRC1_LS, &[rsrc1, regs[3]])?;
    }

    /// `SetEmbeddedVsShader`: a vertex shader of the library, which [`embedded::install`] puts into memory.
    20 SetEmbeddedVsShader 29 {
        /// 0: a rectangle over the screen.
        id: u32,
        /// Bits of `RSRC1` that are replaced; 0 for none.
        modifier: u32,
    }
    (call, out) {
        let regs = embedded::vertex(call.id).ok_or(CallError::Value { field: "id", value: call.id })?;
        vertex_shader(out, regs, modified(regs[2], call.modifier, MODIFIES)?, false)?;
    }

    /// `SetEmbeddedPsShader`: a pixel shader of the library, which [`embedded::install`] puts into memory.
    21 SetEmbeddedPsShader 40 {
        /// 0: zeros of 16 bits for the first target. 1: zeros of 32 bits in red and green.
        id: u32,
        /// Not used.
        modifier: u32,
    }
    (call, out) {
        let regs = embedded::pixel(call.id).ok_or(CallError::Value { field: "id", value: call.id })?;
        pixel_shader(out, regs, false)?;
    }

    /// `InsertWaitFlipDone`: waits until a buffer of a video output is shown no more.
    22 InsertWaitFlipDone 7 {
        /// Handle of the output.
        handle: u32,
        /// Index of the buffer.
        buffer: u32,
        /// Guest address of the buffer's label, low and high half.
        label: [u32; 2],
    }
    (call, out) {
        let [low, high] = call.label;
        refuse("label", low, call.label == [0; 2])?;
        // Memory is equal to 0.
        out.packet(op::WAIT_REG_MEM, 0, &[0x13, low & !3, high, 0, u32::MAX, 10])?;
    }

    /// `SetVgtControl`: how primitives are grouped.
    23 SetVgtControl 3 {
        /// Primitives of a group minus 1, below 256, in the low half; the modes of partial waves and of the end of packets, 0 or 1,
        /// in the third and fourth byte.
        control: u32,
    }
    (call, out) {
        let [group, partial, switch] = [call.control & 0xFFFF, call.control >> 16 & 0xFF, call.control >> 24];
        refuse("primitives of a group minus 1", group, group >= 256)?;
        refuse("mode", partial | switch, partial | switch > 1)?;
        out.set(reg::IA_MULTI_VGT_PARAM, &[partial << 16 | group])?;
    }

    /// `ResetVgtControl`: primitives are grouped as after `DrawInitDefaultHardwareState`.
    24 ResetVgtControl 3 { }
    (_call, out) { out.set(reg::IA_MULTI_VGT_PARAM, &[0xFF])?; }

    /// `DrawInitDefaultHardwareState`: everything of the graphics ring as the library likes it.
    25 DrawInitDefaultHardwareState 256 { }
    (_call, out) { default_state::draw(out)?; }

    /// `DispatchInitDefaultHardwareState`: everything of compute shaders as the library likes it.
    26 DispatchInitDefaultHardwareState 256 { }
    (_call, out) { default_state::dispatch(out)?; }
}

fn geometry_shader(out: &mut Words<'_>, regs: &[u32; 7], update: bool) -> Result<(), CallError> {
    out.set(reg::SPI_SHADER_PGM_LO_GS, &program(regs)?)?;
    out.set(reg::SPI_SHADER_PGM_RSRC1_GS, &regs[2..4])?;
    context_registers(out, reg::VGT_STRMOUT_CONFIG, &regs[4..5], update)?;
    context_registers(out, reg::VGT_GS_OUT_PRIM_TYPE, &regs[5..6], update)?;
    context_registers(out, reg::VGT_GS_INSTANCE_CNT, &regs[6..7], update)
}

fn hull_shader(out: &mut Words<'_>, regs: &[u32; 7], config: u32, update: bool) -> Result<(), CallError> {
    out.set(reg::SPI_SHADER_PGM_LO_HS, &program(regs)?)?;
    out.set(reg::SPI_SHADER_PGM_RSRC1_HS, &regs[2..4])?;
    context_registers(out, reg::VGT_HOS_MAX_TESS_LEVEL, &regs[5..7], update)?;
    context_registers(out, reg::VGT_TF_PARAM, &regs[4..5], update)?;
    context_registers(out, reg::VGT_LS_HS_CONFIG, &[config], update)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_library() {
        let mut out = [0; 10];
        let call = DrawIndex { index_count: 6, index_address: [0x1000, 2], flags: 0, kind: 0 };
        call.write(&mut out).unwrap();
        assert_eq!(out, [0xC004_2700, 6, 0x1000, 2, 6, 0, 0xC002_1000, 0, 0, 0]);
        let mut out = [0; 40];
        UpdatePsShader { regs: [8, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }.write(&mut out).unwrap();
        assert_eq!(out[..9], [0xC002_7600, 8, 8, 0, 0xC002_7600, 10, 3, 4, 0xC002_1000]);
        assert_eq!((out[9], out[28]), (0xC01E_01C4, 0xC00A_1000));
    }

    #[test]
    fn what_the_library_refuses_is_refused_in_both_encodings() {
        let odd = DrawIndex { index_count: 6, index_address: [0x1001, 0], flags: 0, kind: 0 };
        let error = CallError::Value { field: "index address", value: 0x1001 };
        assert_eq!((odd.write(&mut [0; 10]), odd.write_private(&mut [0; 10])), (Err(error.clone()), Err(error)));
        let size = CallError::Size { got: 9, wanted: 10 };
        let even = DrawIndex { index_address: [0x1002, 0], ..odd };
        assert_eq!((even.write(&mut [0; 9]), even.write_private(&mut [0; 9])), (Err(size.clone()), Err(size)));
        let high = SetCsShader { regs: [0, 1, 0, 0, 0, 0, 0], modifier: 0 };
        assert!(high.write(&mut [0; 25]).is_err());
        assert!(SetVgtControl { control: 0x0200_0000 }.write(&mut [0; 3]).is_err());
    }
}
