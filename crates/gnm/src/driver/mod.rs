//! The calls of the console's graphics library: what they write into command buffers, and what they submit.
//!
//! * [`calls`] are the calls that become words, as structures; [`Driver`] has a function for each, which writes it in the driver's
//!   [`Encoding`].
//! * `submit` hands command buffers to a `Machine`, with flips and compute queues.
//! * [`embedded`] are the library's own shaders, [`CommandBuffer`] reserves words for calls.

pub mod calls;
mod command_buffer;
mod default_state;
pub mod embedded;
mod submit;
mod words;

pub use calls::*;
pub use command_buffer::CommandBuffer;
pub use submit::{FlipRequest, QueueId, SubmitError};

use crate::machine::{PIPES, QUEUES};
use afterimage_gnm_types::packets::{Header, PRIVATE};
use afterimage_gnm_types::{decode, markers, op, reg};
use rustc_hash::FxHashMap;
use words::Words;

/// How calls become words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The hardware's packets, as the console's library writes them.
    #[default]
    Pm4,
    /// Private packets that carry the calls as they are.
    Private,
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The words that the program reserved are not as many as the call takes.
    #[error("the call takes {wanted} words, and {got} are there")]
    Size {
        /// Words there are.
        got: usize,
        /// Words it takes.
        wanted: usize,
    },
    /// A parameter is none that the library takes.
    #[error("{field} is {value:#x}, which is refused")]
    Value {
        /// The parameter.
        field: &'static str,
        /// What it holds.
        value: u32,
    },
    /// A video output that was not registered.
    #[error("no video output has the handle {0}; register it first")]
    Output(u32),
}

/// A stage of a program, by the library's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Stage {
    /// Compute.
    Compute = 0,
    /// Pixel.
    Pixel = 1,
    /// Vertex.
    Vertex = 2,
    /// Geometry.
    Geometry = 3,
    /// Export.
    Export = 4,
    /// Hull.
    Hull = 5,
    /// Local.
    Local = 6,
}

impl Stage {
    /// Every stage, by number.
    pub const ALL: [Self; 7] =
        [Self::Compute, Self::Pixel, Self::Vertex, Self::Geometry, Self::Export, Self::Hull, Self::Local];

    /// Byte address of its first user data register.
    #[must_use]
    pub const fn user_data(self) -> u32 {
        match self {
            Self::Compute => reg::COMPUTE_USER_DATA_0,
            Self::Pixel => reg::SPI_SHADER_USER_DATA_PS_0,
            Self::Vertex => reg::SPI_SHADER_USER_DATA_VS_0,
            Self::Geometry => reg::SPI_SHADER_USER_DATA_GS_0,
            Self::Export => reg::SPI_SHADER_USER_DATA_ES_0,
            Self::Hull => reg::SPI_SHADER_USER_DATA_HS_0,
            Self::Local => reg::SPI_SHADER_USER_DATA_LS_0,
        }
    }
}

/// The library. It writes words and submits; what runs them is a [`crate::machine::Machine`].
#[derive(Debug)]
pub struct Driver {
    /// How calls become words.
    pub encoding: Encoding,
    /// Guest address of the labels of each video output, by its handle.
    outputs: FxHashMap<u32, u64>,
    /// Pipe and ring of the compute queues that were mapped.
    queues: [Option<(u32, u32)>; PIPES as usize * QUEUES as usize],
}

impl Default for Driver {
    fn default() -> Self {
        Self::new(Encoding::default())
    }
}

macro_rules! functions {
    ($( $(#[$doc:meta])* $function:ident $symbol:ident $call:ident ( $( $parameter:ident: $type:ty ),* $(,)? ) { $($fields:tt)* } )*) => {
        impl Driver {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\nThe words are those of [`", stringify!($call), "`], which `cmd` must have exactly.\n\n# Errors\nIf a parameter, or the number of words, is one that the library refuses.")]
                pub fn $function(&self, cmd: &mut [u32] $(, $parameter: $type)*) -> Result<(), CallError> {
                    self.write(cmd, &$call { $($fields)* })
                }
            )*
        }
    };
}

/// Calls of the library that become words and take their parameters as they are, a row each: the function of [`Driver`], the symbol of
/// the console's library, the structure, the parameters, and the structure's fields. `$with` is a macro that takes the rows: whoever
/// gives the calls to somebody else, as the C interface does, has them from here.
#[macro_export]
macro_rules! library_calls {
    ($with:ident) => {
        $with! {
            /// Draws with indices at a guest address.
            draw_index sceGnmDrawIndex DrawIndex(index_count: u32, index_address: u64, flags: u32, kind: u32) {
                index_count, index_address: halves(index_address), flags, kind
            }
            /// Draws without indices.
            draw_index_auto sceGnmDrawIndexAuto DrawIndexAuto(index_count: u32, flags: u32) { index_count, flags }
            /// Draws with indices of the buffer that `INDEX_BASE` says.
            draw_index_offset sceGnmDrawIndexOffset DrawIndexOffset(index_offset: u32, index_count: u32, flags: u32) { index_offset, index_count, flags }
            /// Draws with indices; the parts of the draw are in memory.
            draw_index_indirect sceGnmDrawIndexIndirect DrawIndexIndirect(data_offset: u32, stage: Stage, vertex_sgpr: u32, instance_sgpr: u32, flags: u32) {
                data_offset, stage: stage as u32, vertex_sgpr, instance_sgpr, flags
            }
            /// Draws without indices; the parts of the draw are in memory.
            draw_indirect sceGnmDrawIndirect DrawIndirect(data_offset: u32, stage: Stage, vertex_sgpr: u32, instance_sgpr: u32, flags: u32) {
                data_offset, stage: stage as u32, vertex_sgpr, instance_sgpr, flags
            }
            /// Runs groups of the compute shader.
            dispatch_direct sceGnmDispatchDirect DispatchDirect(x: u32, y: u32, z: u32, flags: u32) { groups: [x, y, z], flags }
            /// Runs groups of the compute shader, whose numbers are in memory.
            dispatch_indirect sceGnmDispatchIndirect DispatchIndirect(data_offset: u32, flags: u32) { data_offset, flags }
            /// Sets the vertex shader.
            set_vs_shader sceGnmSetVsShader SetVsShader(regs: [u32; 7], modifier: u32) { regs, modifier }
            /// Sets the vertex shader; context registers stay.
            update_vs_shader sceGnmUpdateVsShader UpdateVsShader(regs: [u32; 7], modifier: u32) { regs, modifier }
            /// Sets the pixel shader.
            update_ps_shader sceGnmUpdatePsShader UpdatePsShader(regs: [u32; 12]) { regs }
            /// Sets the compute shader.
            set_cs_shader sceGnmSetCsShaderWithModifier SetCsShader(regs: [u32; 7], modifier: u32) { regs, modifier }
            /// Sets the export shader.
            set_es_shader sceGnmSetEsShader SetEsShader(regs: [u32; 4], modifier: u32) { regs, modifier }
            /// Sets the geometry shader.
            set_gs_shader sceGnmSetGsShader SetGsShader(regs: [u32; 7]) { regs }
            /// Sets the geometry shader; context registers stay.
            update_gs_shader sceGnmUpdateGsShader UpdateGsShader(regs: [u32; 7]) { regs }
            /// Sets the hull shader.
            set_hs_shader sceGnmSetHsShader SetHsShader(regs: [u32; 7], ls_hs_config: u32) { regs, ls_hs_config }
            /// Sets the hull shader; context registers stay.
            update_hs_shader sceGnmUpdateHsShader UpdateHsShader(regs: [u32; 7], ls_hs_config: u32) { regs, ls_hs_config }
            /// Sets the local shader.
            set_ls_shader sceGnmSetLsShader SetLsShader(regs: [u32; 4], modifier: u32) { regs, modifier }
            /// Sets a vertex shader of the library.
            set_embedded_vs_shader sceGnmSetEmbeddedVsShader SetEmbeddedVsShader(id: u32, modifier: u32) { id, modifier }
            /// Sets a pixel shader of the library.
            set_embedded_ps_shader sceGnmSetEmbeddedPsShader SetEmbeddedPsShader(id: u32, modifier: u32) { id, modifier }
            /// Groups primitives.
            set_vgt_control sceGnmSetVgtControl SetVgtControl(group_minus_1: u32, partial_vs_wave: bool, switch_on_end: bool) {
                // What does not fit is refused with the other.
                control: group_minus_1.min(0xFFFF) | u32::from(partial_vs_wave) << 16 | u32::from(switch_on_end) << 24
            }
            /// Groups primitives as at the beginning.
            reset_vgt_control sceGnmResetVgtControl ResetVgtControl() {}
            /// Puts the graphics ring into the state that the library begins with.
            draw_init_default_hardware_state sceGnmDrawInitDefaultHardwareState DrawInitDefaultHardwareState() {}
            /// Puts compute shaders into the state that the library begins with.
            dispatch_init_default_hardware_state sceGnmDispatchInitDefaultHardwareState DispatchInitDefaultHardwareState() {}
        }
    };
}
library_calls!(functions);

/// A packet as lines, also one of our own: [`afterimage_gnm_types::decode::packet`] with the calls that private packets carry, and
/// behind those what the hardware's packets for them would be.
#[must_use]
pub fn describe(header: u32, body: &[u32]) -> Vec<String> {
    let Header::Packet { opcode: PRIVATE, private, .. } = Header::decode(header) else {
        return decode::packet(header, body);
    };
    let Some(call) = describe_private(private, body) else {
        return vec![format!("private packet {private:#04x}, {} words", body.len())];
    };
    let mut lines = vec![call];
    let mut words = [0; LONGEST];
    let mut rest = expand(private, body, &mut words).unwrap_or(&[]);
    while let Some((&header, behind)) = rest.split_first() {
        let (body, behind) = behind.split_at((Header::decode(header).count() as usize).min(behind.len()));
        let sets =
            matches!(Header::decode(header), Header::Packet { opcode, .. } if decode::space_of(opcode).is_some());
        let is_marker = matches!(Header::decode(header), Header::Packet { opcode: op::NOP, .. });
        match decode::packet(header, body) {
            _ if is_marker => {}
            // The registers say it all.
            packet if sets => lines.extend(packet.into_iter().skip(1)),
            packet => lines.extend(packet),
        }
        rest = behind;
    }
    lines
}

fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

impl Driver {
    /// A driver that writes calls in an encoding.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, outputs: FxHashMap::default(), queues: [None; PIPES as usize * QUEUES as usize] }
    }

    /// Writes a call into exactly [`Call::WORDS`] words.
    ///
    /// # Errors
    /// If a parameter, or the number of words, is one that the library refuses.
    pub fn write<C: Call>(&self, cmd: &mut [u32], call: &C) -> Result<(), CallError> {
        match self.encoding {
            Encoding::Pm4 => call.write(cmd),
            Encoding::Private => call.write_private(cmd),
        }
    }

    /// Sets the pixel shader, or none: then nothing but depth is written.
    ///
    /// # Errors
    /// If a parameter, or the number of words, is one that the library refuses.
    pub fn set_ps_shader(&self, cmd: &mut [u32], regs: Option<[u32; 12]>) -> Result<(), CallError> {
        match regs {
            Some(regs) => self.write(cmd, &SetPsShader { regs }),
            None => self.write(cmd, &SetNoPsShader { shader_mask: 0xF }),
        }
    }

    /// A video output and the guest address of its labels, 8 bytes for each buffer. A label is 1 from the flip to its end.
    pub fn register_output(&mut self, handle: u32, labels: u64) {
        self.outputs.insert(handle, labels);
    }

    fn label(&self, handle: u32, buffer: u32) -> Result<u64, CallError> {
        let labels = *self.outputs.get(&handle).ok_or(CallError::Output(handle))?;
        Ok(labels.wrapping_add(8 * u64::from(buffer)))
    }

    /// Waits until a buffer of a video output is shown no more. The words are those of [`InsertWaitFlipDone`].
    ///
    /// # Errors
    /// If the output was not registered, or the number of words is not 7.
    pub fn insert_wait_flip_done(&self, cmd: &mut [u32], handle: u32, buffer: u32) -> Result<(), CallError> {
        let label = halves(self.label(handle, buffer)?);
        self.write(cmd, &InsertWaitFlipDone { handle, buffer, label })
    }

    /// Begins a scope that tools show. Markers are NOP packets in either encoding; all of `cmd` is used.
    ///
    /// # Errors
    /// If `cmd` has no room for the text and a zero byte.
    pub fn insert_push_marker(&self, cmd: &mut [u32], text: &str) -> Result<(), CallError> {
        Self::marker(cmd, markers::PUSH_MARKER, text)
    }

    /// Marks a point that tools show.
    ///
    /// # Errors
    /// If `cmd` has no room for the text and a zero byte.
    pub fn insert_set_marker(&self, cmd: &mut [u32], text: &str) -> Result<(), CallError> {
        Self::marker(cmd, markers::SET_MARKER, text)
    }

    /// Ends a scope. Six words.
    ///
    /// # Errors
    /// If `cmd` has another number of words.
    pub fn insert_pop_marker(&self, cmd: &mut [u32]) -> Result<(), CallError> {
        if cmd.len() != 6 {
            return Err(CallError::Size { got: cmd.len(), wanted: 6 });
        }
        Words::new(cmd).packet(op::NOP, 0, &[markers::POP_MARKER, 0, 0, 0, 0])
    }

    /// Words of a marker with a text.
    #[must_use]
    pub fn marker_words(text: &str) -> usize {
        2 + (text.len() + 1).div_ceil(4)
    }

    fn marker(cmd: &mut [u32], code: u32, text: &str) -> Result<(), CallError> {
        let wanted = Self::marker_words(text);
        if cmd.len() < wanted || cmd.len() > 0x4000 {
            return Err(CallError::Size { got: cmd.len(), wanted });
        }
        let mut body = vec![0; cmd.len() - 1];
        body[0] = code;
        for (word, bytes) in body[1..].iter_mut().zip(text.as_bytes().chunks(4)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        Words::new(cmd).packet(op::NOP, 0, &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_either_encoding_are_described() {
        let mut cmd = [0; 10];
        Driver::new(Encoding::Private).draw_index(&mut cmd, 6, 0x1_0000_2000, 0, 0).unwrap();
        let text = "DrawIndex { index_count: 6, index_address: [2000, 1], flags: 0, kind: 0 }";
        let packet = "DRAW_INDEX_2 maxSize=0x6 indexBaseLo=0x2000 indexBaseHi=0x1 indexCount=0x6 drawInitiator=0x0";
        assert_eq!(describe(cmd[0], &cmd[1..]), [text, packet]);
        let mut cmd = [0; 3];
        Driver::new(Encoding::Private).set_vgt_control(&mut cmd, 3, false, true).unwrap();
        let lines = describe(cmd[0], &cmd[1..]);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[1].starts_with("IA_MULTI_VGT_PARAM = "), "{lines:?}");
        let mut cmd = [0; 10];
        Driver::new(Encoding::Private).draw_index(&mut cmd, 6, 0x1_0000_2000, 0, 0).unwrap();
        assert_eq!(describe(cmd[0], &cmd[1..9]), ["private packet 0x01, 8 words"]);
        Driver::default().draw_index(&mut cmd, 6, 0x1_0000_2000, 0, 0).unwrap();
        assert_eq!(describe(cmd[0], &cmd[1..6])[0].split(' ').next(), Some("DRAW_INDEX_2"));
    }

    #[test]
    fn markers_hold_their_text() {
        let driver = Driver::default();
        let mut cmd = [7; 5];
        driver.insert_push_marker(&mut cmd, "a shadow").unwrap();
        assert_eq!(describe(cmd[0], &cmd[1..]), ["NOP PUSH_MARKER \"a shadow\""]);
        let error = driver.insert_set_marker(&mut cmd, "a longer shadow!").unwrap_err();
        assert_eq!(error, CallError::Size { got: 5, wanted: 7 });
        assert!(driver.insert_pop_marker(&mut cmd).is_err());
        assert_eq!(driver.insert_wait_flip_done(&mut [0; 7], 3, 0), Err(CallError::Output(3)));
    }
}
