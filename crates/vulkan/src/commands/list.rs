//! Calls of draws in the order of recording, as values: what state comes to is found on one thread, and what that tells Vulkan may
//! be played into the command buffer on another.
//!
//! Only what comes with draws is a [`Call`]. Everything else is recorded at once, behind what the list has by then
//! ([`Recorder::main`](crate::commands::recorder::Recorder::main)).

use crate::device::gpu::Gpu;
use afterimage_ipc::Journal;
use afterimage_stream::VIEWPORTS;
use afterimage_stream::packets::Kind;
use ash::vk;
use smallvec::SmallVec;

/// One call of Vulkan's, whose arguments are valid: handles live until the submission has completed, ranges lie inside of what
/// they are ranges of, and extension functions are there where a call needs one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    Pipeline(vk::Pipeline),
    Topology(vk::PrimitiveTopology),
    Restart(bool),
    Viewport(vk::Viewport),
    Scissor(vk::Rect2D),
    /// So many viewports, whose six numbers each are in [`List::data`] from `at` on.
    Viewports {
        at: u32,
        count: u8,
    },
    /// Likewise, of four words each.
    Scissors {
        at: u32,
        count: u8,
    },
    Discard(bool),
    Cull(vk::CullModeFlags),
    FrontFace(vk::FrontFace),
    LineWidth(f32),
    /// Constant in units of depth, and slope.
    DepthBias([f32; 2]),
    DepthBiasEnable(bool),
    PolygonMode(vk::PolygonMode),
    DepthClamp(bool),
    SampleMask(vk::SampleCountFlags, u32),
    DepthTest(bool),
    DepthWrite(bool),
    DepthCompare(vk::CompareOp),
    DepthBoundsTest(bool),
    DepthBounds([f32; 2]),
    StencilTest(bool),
    /// Face, then what is done on fail, pass and depth fail, and the comparison.
    StencilOp(vk::StencilFaceFlags, [vk::StencilOp; 3], vk::CompareOp),
    StencilCompareMask(vk::StencilFaceFlags, u32),
    StencilWriteMask(vk::StencilFaceFlags, u32),
    StencilReference(vk::StencilFaceFlags, u32),
    LogicOp(vk::LogicOp),
    BlendConstants([f32; 4]),
    /// Of so many targets, a bit each.
    BlendEnable(u8, u8),
    /// Of so many targets from one on, the same.
    BlendEquation {
        first: u8,
        count: u8,
        equation: vk::ColorBlendEquationEXT,
    },
    /// Of so many targets, a byte each.
    WriteMasks(u8, u64),
    VertexBuffer {
        slot: u32,
        stride: u32,
        buffer: vk::Buffer,
        offset: u64,
        size: u64,
    },
    IndexBuffer {
        buffer: vk::Buffer,
        offset: u64,
        kind: vk::IndexType,
    },
    /// Words of [`List::data`] from `at` on become push constants from a word on.
    Push {
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        first: u16,
        count: u16,
        at: u32,
    },
    Set {
        layout: vk::PipelineLayout,
        number: u32,
        set: vk::DescriptorSet,
    },
    Draw(vk::DrawIndirectCommand),
    DrawIndexed(vk::DrawIndexedIndirectCommand),
    /// Draws in [`List::data`] from `at` on, two words each ([`vk::MultiDrawInfoEXT`]).
    DrawMulti {
        at: u32,
        count: u32,
        instances: u32,
        first_instance: u32,
    },
    /// Likewise, three words each ([`vk::MultiDrawIndexedInfoEXT`]).
    DrawMultiIndexed {
        at: u32,
        count: u32,
        instances: u32,
        first_instance: u32,
    },
    /// None of Vulkan's: what follows is for this packet, which is the frame's so-many-eth draw. Where somebody watches.
    Blame {
        kind: Kind,
        sequence: u32,
        draw: u32,
    },
}

/// Calls that a list has room for at first.
const FIRST_CALLS: usize = 256;

/// Calls that have not been played.
#[derive(Debug, Default)]
pub(crate) struct List {
    calls: Vec<Call>,
    /// What calls of no fixed size have.
    data: Vec<u32>,
}

impl List {
    /// Adds a call. It is written where it stays: a copy of what was put together a moment ago would wait for that.
    #[inline(always)]
    pub(crate) fn push(&mut self, call: Call) {
        if self.calls.len() == self.calls.capacity() {
            self.grow();
        }
        if let Some(place) = self.calls.spare_capacity_mut().first_mut() {
            place.write(call);
            // SAFETY: the place behind the last call has one now.
            unsafe { self.calls.set_len(self.calls.len() + 1) };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.calls.reserve(FIRST_CALLS);
    }

    /// Stores words of calls to come; where they begin.
    #[inline]
    pub(crate) fn store(&mut self, words: impl IntoIterator<Item = u32>) -> u32 {
        let at = self.data.len() as u32;
        self.data.extend(words);
        at
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Makes all calls, which are gone then. The journal hears what they are made for.
    ///
    /// # Safety
    /// The command buffer is being recorded, by nobody else, and draws are inside of a pass with everything bound that they need.
    #[inline]
    pub(crate) unsafe fn play(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, journal: Option<&Journal>) {
        // SAFETY: the caller's, and what `Call` says of its arguments.
        self.empty(journal, |call, data| unsafe { make(gpu, cmd, call, data) });
    }

    /// Gives away all calls, with what those of no fixed size have.
    #[inline(always)]
    fn empty(&mut self, journal: Option<&Journal>, give: impl Fn(Call, &[u32])) {
        for &call in &self.calls {
            match (call, journal) {
                (Call::Blame { kind, sequence, draw }, Some(journal)) => {
                    journal.begin_packet(kind, sequence);
                    journal.begin_draw(draw);
                }
                _ => give(call, &self.data),
            }
        }
        self.calls.clear();
        self.data.clear();
    }
}

/// Makes a call.
///
/// # Safety
/// As [`List::play`].
#[inline(always)]
unsafe fn make(gpu: &Gpu, cmd: vk::CommandBuffer, call: Call, data: &[u32]) {
    let raw = &gpu.raw;
    // SAFETY: the caller's.
    unsafe {
        match call {
            Call::Blame { .. } => {}
            Call::Pipeline(pipeline) => raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline),
            Call::Topology(topology) => raw.cmd_set_primitive_topology(cmd, topology),
            Call::Restart(on) => raw.cmd_set_primitive_restart_enable(cmd, on),
            Call::Viewport(viewport) => raw.cmd_set_viewport_with_count(cmd, &[viewport]),
            Call::Scissor(rect) => raw.cmd_set_scissor_with_count(cmd, &[rect]),
            Call::Viewports { at, count } => {
                let all = words(data, at, 6 * usize::from(count)).as_chunks::<6>().0.iter();
                let all: SmallVec<[_; VIEWPORTS]> = all.map(|words| viewport(words.map(f32::from_bits))).collect();
                raw.cmd_set_viewport_with_count(cmd, &all);
            }
            Call::Scissors { at, count } => {
                let all = words(data, at, 4 * usize::from(count)).as_chunks::<4>().0.iter();
                let all: SmallVec<[_; VIEWPORTS]> = all.map(|words| rect(*words)).collect();
                raw.cmd_set_scissor_with_count(cmd, &all);
            }
            Call::Discard(on) => raw.cmd_set_rasterizer_discard_enable(cmd, on),
            Call::Cull(mode) => raw.cmd_set_cull_mode(cmd, mode),
            Call::FrontFace(face) => raw.cmd_set_front_face(cmd, face),
            Call::LineWidth(width) => raw.cmd_set_line_width(cmd, width),
            Call::DepthBias([constant, slope]) => depth_bias(gpu, cmd, constant, slope),
            Call::DepthBiasEnable(on) => raw.cmd_set_depth_bias_enable(cmd, on),
            Call::DepthTest(on) => raw.cmd_set_depth_test_enable(cmd, on),
            Call::DepthWrite(on) => raw.cmd_set_depth_write_enable(cmd, on),
            Call::DepthCompare(op) => raw.cmd_set_depth_compare_op(cmd, op),
            Call::DepthBoundsTest(on) => raw.cmd_set_depth_bounds_test_enable(cmd, on),
            Call::DepthBounds([min, max]) => raw.cmd_set_depth_bounds(cmd, min, max),
            Call::StencilTest(on) => raw.cmd_set_stencil_test_enable(cmd, on),
            Call::StencilOp(face, [fail, pass, depth_fail], compare) => {
                raw.cmd_set_stencil_op(cmd, face, fail, pass, depth_fail, compare);
            }
            Call::StencilCompareMask(face, mask) => raw.cmd_set_stencil_compare_mask(cmd, face, mask),
            Call::StencilWriteMask(face, mask) => raw.cmd_set_stencil_write_mask(cmd, face, mask),
            Call::StencilReference(face, value) => raw.cmd_set_stencil_reference(cmd, face, value),
            Call::BlendConstants(constants) => raw.cmd_set_blend_constants(cmd, &constants),
            Call::PolygonMode(_)
            | Call::DepthClamp(_)
            | Call::SampleMask(..)
            | Call::LogicOp(_)
            | Call::BlendEnable(..)
            | Call::BlendEquation { .. }
            | Call::WriteMasks(..) => set_extended(gpu, cmd, call),
            Call::VertexBuffer { slot, stride, buffer, offset, size } => {
                let stride = [stride.into()];
                raw.cmd_bind_vertex_buffers2(cmd, slot, &[buffer], &[offset], Some(&[size]), Some(&stride));
            }
            Call::IndexBuffer { buffer, offset, kind } => raw.cmd_bind_index_buffer(cmd, buffer, offset, kind),
            Call::Push { layout, stages, first, count, at } => {
                let words = words(data, at, count.into());
                raw.cmd_push_constants(cmd, layout, stages, u32::from(first) * 4, bytemuck::cast_slice(words));
            }
            Call::Set { layout, number, set } => {
                raw.cmd_bind_descriptor_sets(cmd, vk::PipelineBindPoint::GRAPHICS, layout, number, &[set], &[]);
            }
            Call::Draw(d) => raw.cmd_draw(cmd, d.vertex_count, d.instance_count, d.first_vertex, d.first_instance),
            Call::DrawIndexed(d) => raw.cmd_draw_indexed(
                cmd,
                d.index_count,
                d.instance_count,
                d.first_index,
                d.vertex_offset,
                d.first_instance,
            ),
            Call::DrawMulti { at, count, instances, first_instance } => {
                if let Some(multi) = &gpu.multi_draw {
                    let draws = words(data, at, 2 * count as usize).as_ptr().cast();
                    (multi.fp().cmd_draw_multi_ext)(cmd, count, draws, instances, first_instance, 8);
                }
            }
            Call::DrawMultiIndexed { at, count, instances, first_instance } => {
                if let Some(multi) = &gpu.multi_draw {
                    let draws = words(data, at, 3 * count as usize).as_ptr().cast();
                    let offset = std::ptr::null();
                    (multi.fp().cmd_draw_multi_indexed_ext)(cmd, count, draws, instances, first_instance, 12, offset);
                }
            }
        }
    }
}

/// The words of a viewport in a list.
pub(crate) fn viewport_words(v: &vk::Viewport) -> [u32; 6] {
    [v.x, v.y, v.width, v.height, v.min_depth, v.max_depth].map(f32::to_bits)
}

fn viewport([x, y, width, height, min_depth, max_depth]: [f32; 6]) -> vk::Viewport {
    vk::Viewport { x, y, width, height, min_depth, max_depth }
}

/// The words of a rectangle in a list.
pub(crate) fn rect_words(rect: &vk::Rect2D) -> [u32; 4] {
    [rect.offset.x as u32, rect.offset.y as u32, rect.extent.width, rect.extent.height]
}

fn rect([x, y, width, height]: [u32; 4]) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent: vk::Extent2D { width, height } }
}

fn words(data: &[u32], at: u32, count: usize) -> &[u32] {
    &data[at as usize..at as usize + count]
}

/// Makes a call of the extensions of dynamic state.
///
/// # Safety
/// As [`List::play`].
#[inline]
unsafe fn set_extended(gpu: &Gpu, cmd: vk::CommandBuffer, call: Call) {
    // SAFETY: the caller's, and whoever lists such a call has found the extension.
    unsafe {
        if let (Call::LogicOp(op), Some(d2)) = (call, &gpu.dynamic2) {
            return d2.cmd_set_logic_op(cmd, op);
        }
        let Some(d3) = &gpu.dynamic3 else { return };
        match call {
            Call::PolygonMode(mode) => d3.cmd_set_polygon_mode(cmd, mode),
            Call::DepthClamp(on) => d3.cmd_set_depth_clamp_enable(cmd, on),
            Call::SampleMask(samples, mask) => d3.cmd_set_sample_mask(cmd, samples, &[mask]),
            Call::BlendEnable(count, bits) => {
                let enable: [vk::Bool32; 8] = std::array::from_fn(|index| u32::from(bits >> index & 1));
                d3.cmd_set_color_blend_enable(cmd, 0, &enable[..usize::from(count).min(8)]);
            }
            Call::BlendEquation { first, count: 1, equation } => {
                d3.cmd_set_color_blend_equation(cmd, first.into(), &[equation]);
            }
            Call::BlendEquation { first, count, equation } => {
                d3.cmd_set_color_blend_equation(cmd, first.into(), &[equation; 8][..usize::from(count).min(8)]);
            }
            Call::WriteMasks(count, masks) => {
                let masks = masks.to_le_bytes().map(|mask| vk::ColorComponentFlags::from_raw(mask.into()));
                d3.cmd_set_color_write_mask(cmd, 0, &masks[..usize::from(count).min(8)]);
            }
            _ => {}
        }
    }
}

/// Sets a bias whose constant is in units of depth where the device can, else in steps of the format.
///
/// # Safety
/// As [`List::play`].
unsafe fn depth_bias(gpu: &Gpu, cmd: vk::CommandBuffer, constant: f32, slope: f32) {
    // SAFETY: the caller's; the extension is enabled where there is one.
    unsafe {
        match &gpu.depth_bias {
            Some(control) => {
                let mut units = vk::DepthBiasRepresentationInfoEXT::default()
                    .depth_bias_representation(vk::DepthBiasRepresentationEXT::FLOAT);
                let info = vk::DepthBiasInfoEXT::default()
                    .depth_bias_constant_factor(constant)
                    .depth_bias_slope_factor(slope)
                    .push_next(&mut units);
                (control.fp().cmd_set_depth_bias2_ext)(cmd, &info);
            }
            None => gpu.raw.cmd_set_depth_bias(cmd, constant, 0.0, slope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// A driver may end in a call that is made long after the packet was executed that it is made for.
    #[test]
    fn the_journal_has_the_draw_that_a_call_is_made_for() {
        let (journal, mut list) = (Journal::local(), List::default());
        list.push(Call::Blame { kind: Kind::Draw, sequence: 7, draw: 1 });
        list.push(Call::DepthTest(true));
        list.push(Call::DepthWrite(true));
        list.push(Call::Blame { kind: Kind::DrawIndexed, sequence: 9, draw: 2 });
        list.push(Call::DepthTest(false));
        let seen = RefCell::new(Vec::new());
        list.empty(Some(&journal), |_, _| seen.borrow_mut().push(journal.read()));
        let first = Journal::local();
        first.begin_packet(Kind::Draw, 7);
        first.begin_draw(1);
        let second = Journal::local();
        second.begin_packet(Kind::DrawIndexed, 9);
        second.begin_draw(2);
        assert_eq!(seen.into_inner(), [first.read(), first.read(), second.read()]);
        assert!(list.is_empty());
        // Where nobody watches, blame is no call.
        list.push(Call::Blame { kind: Kind::Draw, sequence: 7, draw: 1 });
        list.empty(None, |call, _| assert!(matches!(call, Call::Blame { .. })));
    }
}
