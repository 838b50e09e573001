//! Stream-out: vertices that the vertex stage stores, primitive by primitive.
//!
//! Programs store what they capture themselves, at the place that the hardware gives each wave. Here that is a pass of its own: a
//! dispatch of the vertex program for the vertices of the draw's primitives in their order ([`Source::captures`]); where the
//! draw draws too, it stores nothing. A primitive of which one buffer has no room for all vertices is not captured.
//!
//! [`Source::captures`]: afterimage_shader_gcn::io::Source::captures

use super::Translator;
use super::draws::{DrawError, Front};
use super::own::Use;
use super::primitives::Primitive;
use super::shaders::{self, CAPTURE};
use crate::machine;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::geometry;
use afterimage_stream::packets::*;

/// `SO_EN` of `SPI_SHADER_PGM_RSRC2_VS`.
const SO_EN: u32 = 1 << 12;
/// Between the registers of one buffer and of the next.
const STEP: u32 = reg::VGT_STRMOUT_BUFFER_SIZE_1 - reg::VGT_STRMOUT_BUFFER_SIZE_0;
/// Most groups of a dispatch.
const MOST_GROUPS: u64 = 65_535;

impl Translator {
    /// Whether a draw captures vertices.
    pub(super) fn captures(&mut self, registers: &Registers) -> bool {
        use reg::VGT_STRMOUT_CONFIG as C;
        let config = registers.get(reg::VGT_STRMOUT_CONFIG);
        if [C::STREAMOUT_1_EN, C::STREAMOUT_2_EN, C::STREAMOUT_3_EN].iter().any(|stream| stream.is_set(config)) {
            self.once.warn("VGT_STRMOUT_CONFIG captures other streams than the first: those are left out");
        }
        C::STREAMOUT_0_EN.is_set(config) && registers.get(reg::SPI_SHADER_PGM_RSRC2_VS) & SO_EN != 0
    }

    /// Stores what stream-out captures of a draw.
    pub(super) fn capture(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
        front: Option<&Front>,
    ) -> Result<(), DrawError> {
        let corners = match primitive.assembled() {
            Topology::PointList => 1,
            Topology::LineList => 2,
            _ => 3,
        };
        let mut made = Vec::new();
        let (list, instances) = match front {
            Some(Front::Geometry(output)) => (&output.indices, 1),
            Some(Front::Patches(_)) => {
                self.once.warn("stream-out behind tessellation is not supported: nothing is captured");
                return Ok(());
            }
            None => {
                let last = registers.is_set(reg::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST);
                self.each_run(registers, memory, draw, |run| primitive.assemble(last, run, &mut made))?;
                let base = registers.get(reg::VGT_INDX_OFFSET);
                made.iter_mut().for_each(|index| *index = index.wrapping_add(base));
                (&made, u64::from(draw.instances))
            }
        };
        let enabled = registers.field(reg::VGT_STRMOUT_BUFFER_CONFIG::STREAM_0_BUFFER_EN);
        let buffers: Vec<(usize, u32)> = (0..4)
            .filter(|n| enabled >> n & 1 != 0)
            .map(|n| (n as usize, 4 * (registers.get(reg::VGT_STRMOUT_VTX_STRIDE_0 + STEP * n) & 0x3FF)))
            .filter(|(_, stride)| *stride > 0)
            .collect();
        let room = |&(n, stride): &(usize, u32)| {
            let size = u64::from(registers.get(reg::VGT_STRMOUT_BUFFER_SIZE_0 + STEP * n as u32)) * 4;
            size.saturating_sub(self.stream_out[n].into()) / (u64::from(stride) * corners)
        };
        let Some(room) = buffers.iter().map(room).min() else { return Ok(()) };
        let lanes = (list.len() as u64 / corners * instances).min(room) * corners;
        if lanes == 0 {
            return Ok(());
        }
        let groups = lanes.div_ceil(geometry::LANES.into());
        if groups > MOST_GROUPS {
            self.once.warn(format!("{lanes} vertices are more than one draw can capture: nothing is captured"));
            return Ok(());
        }
        self.bound_samplers();
        let Some(mut needs) = self.gather(&CAPTURE, registers, memory) else { return Ok(()) };
        if let Some(Front::Geometry(output)) = front {
            needs.use_ring(&output.ring);
        }
        needs.behind = vec![self.own_bytes(Use::Vertices, bytemuck::cast_slice(list))?, StorageBinding::default()];
        self.ready(&[&needs], memory)?;
        self.bind(&CAPTURE, &needs, registers, memory)?;
        let seen = shaders::capture_registers(registers);
        let shader = self.shader(&CAPTURE, &needs.code, seen, &needs.buffer_specs, &needs.image_specs)?;
        let bases = self.stream_out.map(|bytes| bytes / 4);
        self.put_draw(Stage::Compute, &[[0, 0, list.len() as u32, lanes as u32], bases]);
        self.port.push(&Dispatch { shader, groups: [groups as u32, 1, 1] });
        self.mark_written(&needs, memory);
        for (n, stride) in buffers {
            self.stream_out[n] = self.stream_out[n].saturating_add((lanes as u32).saturating_mul(stride));
        }
        Ok(())
    }

    /// The draw of as many vertices as stream-out wrote: the registers say how far, from where, and how long a vertex is.
    pub(super) fn opaque(&mut self, registers: &Registers, draw: &machine::Draw) -> machine::Draw {
        let stride = registers.field(reg::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE::VERTEX_STRIDE);
        let filled = registers.get(reg::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
        let bytes = filled.saturating_sub(registers.get(reg::VGT_STRMOUT_DRAW_OPAQUE_OFFSET));
        if stride == 0 {
            self.once.warn("VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE is 0: a draw of what stream-out wrote is left out");
        }
        machine::Draw { count: bytes.checked_div(stride).unwrap_or(0), opaque: false, ..*draw }
    }
}
