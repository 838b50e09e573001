//! Stream-out: vertices that the vertex stage stores, primitive by primitive.
//!
//! Programs store what they capture themselves, at the place that the hardware gives each wave. Here that is a pass of its own: a
//! dispatch of the vertex program for the vertices of the draw's primitives in their order ([`Source::captures`]); where the
//! draw draws too, it stores nothing. A primitive of which one buffer has no room for all vertices is not captured.
//!
//! [`Source::captures`]: afterimage_shader_gcn::io::Source::captures

use super::Translator;
use super::front::{Behind, Front, Patches};
use super::own::Use;
use super::plan::DrawError;
use super::primitives::{MOST_INDICES, Primitive};
use super::shaders::{self, DOMAIN_FEEDBACK, FEEDBACK};
use crate::machine::{self, Indices};
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::geometry;
use afterimage_stream::packets::*;

/// `SO_EN` of `SPI_SHADER_PGM_RSRC2_VS`.
const SO_EN: u32 = 1 << 12;
/// Between the registers of one buffer and of the next.
const STEP: u32 = reg::VGT_STRMOUT_BUFFER_SIZE_1 - reg::VGT_STRMOUT_BUFFER_SIZE_0;

/// Vertices of a stream that are captured, primitive by primitive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captured<'a> {
    pub(super) stream: u32,
    /// What the list has primitives of.
    pub(super) primitive: Primitive,
    pub(super) order: Order<'a>,
    pub(super) instances: u32,
    pub(super) from: From<'a>,
}

/// What the vertex stage's program gets as its index for each vertex of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// Vertices of an instance.
    length: u32,
    /// The row by which they lie in the run: [`Primitive::chosen`].
    row: [u32; 4],
    /// What is added to the index of each.
    base: u32,
    /// Bytes of an index of the run; 0 where its positions are the indices.
    index_bytes: u32,
    /// In whole words.
    indices: &'a [u8],
}

impl<'a> Order<'a> {
    /// One index after the other.
    pub(super) fn list(list: &'a [u32]) -> Self {
        let (length, row) = Primitive::Points.chosen(false, list.len() as u32).unwrap_or_default();
        Self { length, row, base: 0, index_bytes: 4, indices: bytemuck::cast_slice(list) }
    }
}

/// Where the vertex stage has its vertices from.
#[derive(Clone, Copy, Debug)]
pub(super) enum From<'a> {
    /// It is the first stage.
    Draw,
    /// A geometry shader.
    Geometry(&'a Behind),
    /// The tessellator.
    Patches(&'a Patches),
}

/// Whether a draw captures vertices of a stream.
pub(super) fn captures(registers: &Registers, stream: u32) -> bool {
    use reg::VGT_STRMOUT_CONFIG as C;
    let enabled = [C::STREAMOUT_0_EN, C::STREAMOUT_1_EN, C::STREAMOUT_2_EN, C::STREAMOUT_3_EN];
    enabled.get(stream as usize).is_some_and(|stream| registers.is_set(*stream))
        && registers.get(reg::SPI_SHADER_PGM_RSRC2_VS) & SO_EN != 0
}

impl Translator {
    /// Stores what stream-out captures of a draw without a geometry shader.
    pub(super) fn feedback_draw(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
        front: Option<&Front>,
    ) -> Result<(), DrawError> {
        if !captures(registers, 0) {
            return Ok(());
        }
        let captured = |order, instances, from| Captured { stream: 0, primitive, order, instances, from };
        if let Some(Front::Patches(patches)) = front {
            let order = Order::list(&patches.indices);
            return self.capture(registers, memory, &captured(order, 1, From::Patches(patches)));
        }
        let last = registers.is_set(reg::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST);
        let base = registers.get(reg::VGT_INDX_OFFSET);
        let indexed = matches!(draw.indices, Indices::Memory { .. });
        let restarts = indexed && registers.is_set(reg::VGT_MULTI_PRIM_IB_RESET_EN::RESET_EN);
        if let Some((length, row)) = primitive.chosen(last, draw.count).filter(|_| !restarts) {
            if draw.count as usize > MOST_INDICES {
                return Err(DrawError::Indices(draw.count));
            }
            let (index_bytes, indices) = match draw.indices {
                Indices::Memory { address, kind, available } => {
                    let there = draw.count.min(available);
                    let mut bytes = self.index_bytes(memory, address, kind, there, draw.count);
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    (kind.bytes() as u32, bytes)
                }
                _ => (0, Vec::new()),
            };
            let order = Order { length, row, base, index_bytes, indices: &indices };
            return self.capture(registers, memory, &captured(order, draw.instances, From::Draw));
        }
        let mut made = Vec::new();
        self.each_run(registers, memory, draw, |run| primitive.assemble(last, run, &mut made))?;
        let order = Order { base, ..Order::list(&made) };
        self.capture(registers, memory, &captured(order, draw.instances, From::Draw))
    }

    /// Stores what stream-out captures of a stream, if it does.
    pub(super) fn capture(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        captured: &Captured<'_>,
    ) -> Result<(), DrawError> {
        use reg::VGT_STRMOUT_BUFFER_CONFIG as B;
        let Captured { stream, primitive, order, instances, from } = *captured;
        if !captures(registers, stream) {
            return Ok(());
        }
        let corners = primitive.corners() as u64;
        let enabled = [B::STREAM_0_BUFFER_EN, B::STREAM_1_BUFFER_EN, B::STREAM_2_BUFFER_EN, B::STREAM_3_BUFFER_EN];
        let enabled = registers.field(enabled[stream as usize]);
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
        let lanes = (u64::from(order.length) / corners * u64::from(instances)).min(room) * corners;
        if lanes == 0 {
            return Ok(());
        }
        let groups = lanes.div_ceil(geometry::LANES.into());
        if groups > geometry::MOST_GROUPS.into() {
            self.once.warn(format!("{lanes} vertices are more than one draw can capture: nothing is captured"));
            return Ok(());
        }
        self.bound_samplers();
        let stage = match from {
            From::Draw => &FEEDBACK,
            From::Geometry(behind) => behind.feedback_stage(),
            From::Patches(_) => &DOMAIN_FEEDBACK,
        };
        let Some(mut needs) = self.gather(stage, registers, memory) else { return Ok(()) };
        let mut off_chip = 0;
        match from {
            From::Draw => {}
            From::Geometry(behind) => behind.serve(&mut needs),
            From::Patches(patches) => {
                patches.serve(&mut needs);
                off_chip = patches.off_chip;
            }
        }
        let indices = if order.indices.is_empty() {
            StorageBinding::default()
        } else {
            self.own_bytes(Use::Vertices, order.indices)?
        };
        needs.behind = vec![indices, StorageBinding::default()];
        self.ready(&[&needs], memory)?;
        self.bind(stage, &needs, memory)?;
        let seen = shaders::feedback_registers(stage, registers);
        let shader = self.shader(stage, seen, &needs)?;
        let bases = self.stream_out.map(|bytes| bytes / 4);
        let lanes_of = [off_chip, stream, order.length, lanes as u32];
        self.put_draw(Stage::Compute, &[lanes_of, bases, order.row, [order.base, order.index_bytes, 0, 0]]);
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
