//! Geometry shaders, by the hardware's data flow.
//!
//! An export shader runs once for each vertex and writes a ring; a geometry shader runs once for each primitive and invocation,
//! reads that ring and writes another; a copy shader, which the hardware knows as the vertex shader, reads vertices from there. The
//! first two are dispatches here. What the geometry shader says of its vertices and strips lands in a log
//! ([`io::geometry`]), of which indices are made for a draw with the copy shader.
//!
//! Rings are buffers of the host's: the hardware reuses the guest's while a draw goes on, and nobody else reads them. On-chip, both
//! lie in the data share, of which each subgroup ([`on_chip`](super::on_chip)) has a window of one such buffer.

use super::Translator;
use super::emitted::{Emitted, Places};
use super::front::{Behind, Front, Made, Output, Patches, Ring, serve};
use super::on_chip::{self, Subgroups};
use super::own::{Own, Use};
use super::plan::DrawError;
use super::primitives::{MOST_INDICES, Primitive, neighbours};
use super::shaders::{self, DOMAIN_EXPORT, DOMAIN_EXPORT_ON_CHIP, EXPORT, EXPORT_ON_CHIP, GEOMETRY, GEOMETRY_ON_CHIP};
use super::stream_out::{Captured, From, Order, captures};
use crate::machine;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::geometry::{self, ROW};
use afterimage_stream::PortError;
use afterimage_stream::packets::*;
use rustc_hash::FxHashMap;

/// Most bytes of a ring or log.
const MOST_BYTES: u64 = 512 << 20;
const LANES: u32 = geometry::LANES;

/// A stream, as the registers have it.
#[derive(Clone, Copy, Debug)]
struct Stream {
    strips: Primitive,
    /// Words of a vertex.
    vertex: u32,
    /// Where a lane's vertices of it begin among all, in words.
    offset: u32,
}

/// Vertices and primitives of an instance.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Lists {
    /// Index of each vertex that is used.
    pub(super) vertices: Vec<u32>,
    /// Places in `vertices`, [`geometry::VERTICES`] for each primitive, and its number.
    pub(super) primitives: Vec<u32>,
}

impl Lists {
    /// Of the vertices of primitives, so many each, to whose indices `base` is added. Primitives have the numbers that are given,
    /// or are counted.
    fn new(corners: usize, made: &[u32], base: u32, numbers: Option<&[u32]>) -> Self {
        let number = |at: usize| numbers.map_or(at as u32, |numbers| numbers[at]);
        Self::until([usize::MAX; 2], corners, made, base, number)
    }

    /// The same of the first primitives only, up to that with which there are so many vertices, or so many primitives.
    pub(super) fn until(
        enough: [usize; 2],
        corners: usize,
        made: &[u32],
        base: u32,
        number: impl Fn(usize) -> u32,
    ) -> Self {
        let mut lists = Self::default();
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        for (at, primitive) in made.chunks_exact(corners).enumerate() {
            if lists.vertices.len() >= enough[0] || at >= enough[1] {
                break;
            }
            let row = lists.primitives.len();
            for index in primitive {
                let place = *places.entry(*index).or_insert_with(|| {
                    lists.vertices.push(index.wrapping_add(base));
                    lists.vertices.len() as u32 - 1
                });
                lists.primitives.push(place);
            }
            lists.primitives.resize(row + geometry::VERTICES as usize, 0);
            lists.primitives.push(number(at));
        }
        lists
    }
}

/// What export and geometry shaders run for, and where they leave it.
struct Plan {
    /// Both lists, as the shaders read them.
    vertices: Vec<u32>,
    primitives: Vec<u32>,
    /// Lanes of both.
    exports: u64,
    lanes: u64,
    /// What is said to both.
    said: [[[u32; 4]; 2]; 2],
    /// Where rings lie in the data share.
    subgroups: Option<Subgroups>,
}

impl Plan {
    fn in_memory(lists: Lists, off_chip: u32, instances: u32, invocations: u32) -> Self {
        let Lists { vertices, primitives } = lists;
        let [count, items] =
            [vertices.len(), primitives.len() / geometry::PRIMITIVE as usize].map(|count| count as u32);
        let exports = u64::from(count) * u64::from(instances);
        let lanes = u64::from(items) * u64::from(instances) * u64::from(invocations);
        let said =
            [[[off_chip, 0, count, exports as u32], [0; 4]], [[0, 0, items, lanes as u32], [count, invocations, 0, 0]]];
        Self { vertices, primitives, exports, lanes, said, subgroups: None }
    }

    fn on_chip(mut subgroups: Subgroups, off_chip: u32, instances: u32, invocations: u32) -> Self {
        let windows = u64::from(subgroups.count()) * u64::from(instances);
        let [exports, lanes] = subgroups.lanes;
        let said = |lanes, most| [[off_chip, 0, subgroups.count(), lanes], [most, invocations, 0, 0]];
        Self {
            said: [said(exports, subgroups.most[0]), said(lanes, subgroups.most[1])],
            vertices: std::mem::take(&mut subgroups.vertices),
            primitives: std::mem::take(&mut subgroups.primitives),
            exports: windows * u64::from(exports),
            lanes: windows * u64::from(lanes),
            subgroups: Some(subgroups),
        }
    }

    /// Where a lane's first vertex of a stream begins, and how far it is to the next, in words. None where the lane does nothing.
    fn place(&self, lane: u32, stream: &Stream, gs_words: u32, max_vert_out: u32) -> Option<[u32; 2]> {
        if let Some(subgroups) = &self.subgroups {
            return Some([subgroups.place(lane, gs_words)? + stream.offset, stream.vertex]);
        }
        let (wave, lane) = (lane / LANES, lane % LANES);
        let row = lane / ROW * ROW * stream.vertex.wrapping_mul(max_vert_out);
        Some([wave * LANES * gs_words + LANES * stream.offset + row + lane % ROW, ROW])
    }

    /// Indices of a stream's primitives, of the lanes' records. `rings`: words of a lane behind the geometry shader, and
    /// `VGT_GS_MAX_VERT_OUT`.
    fn assemble<'log>(
        &self,
        stream: &Stream,
        [gs_words, max_vert_out]: [u32; 2],
        last: bool,
        record: impl Fn(u32) -> &'log [u32],
    ) -> Result<Vec<u32>, DrawError> {
        let most = geometry::most_vertices(max_vert_out);
        let (mut indices, mut run) = (Vec::new(), Vec::new());
        for lane in 0..self.lanes as u32 {
            let Some([base, step]) = self.place(lane, stream, gs_words, max_vert_out) else { continue };
            runs(record(lane), most, |vertices| {
                run.clear();
                run.extend(vertices.map(|vertex| base.wrapping_add(vertex * step)));
                stream.strips.assemble(last, &run, &mut indices);
            });
            if indices.len() > MOST_INDICES {
                return Err(DrawError::Indices(indices.len() as u32));
            }
        }
        Ok(indices)
    }

    /// The same for the GPU to do, but for the buffers that it reads. `number`: that of the stream, and how many there are.
    fn emitted(
        &self,
        stream: &Stream,
        [gs_words, max_vert_out]: [u32; 2],
        last: bool,
        number: [u32; 2],
        invocations: u32,
    ) -> Emitted {
        let Stream { vertex, offset, strips } = *stream;
        let (lanes, row) = (self.lanes as u32, ROW * vertex.wrapping_mul(max_vert_out));
        let in_memory = Places { wave: LANES * gs_words, row, first: LANES * offset, step: ROW };
        let on_chip = |subgroups: &Subgroups| {
            let places = Places { wave: gs_words, row: subgroups.share / 4, first: offset, step: vertex };
            (places, Some(subgroups.said(invocations)))
        };
        let (places, subgroups) = self.subgroups.as_ref().map_or((in_memory, None), on_chip);
        let none = StorageBinding::default();
        Emitted { strips, last, lanes, max_vert_out, stream: number, places, subgroups, log: none, list: none }
    }
}

/// The log's record of one lane as runs of vertices.
fn runs(record: &[u32], most: u32, mut each: impl FnMut(std::ops::Range<u32>)) {
    let Some((count, cuts)) = record.split_first() else { return };
    let count = (*count).min(most);
    let mut first = 0;
    for vertex in 0..count {
        let is_cut = cuts.get(vertex as usize / 32).is_some_and(|word| word >> (vertex % 32) & 1 != 0);
        if is_cut || vertex + 1 == count {
            each(first..vertex + 1);
            first = vertex + 1;
        }
    }
}

/// The streams of a geometry shader; none where a register says nothing of what they are of.
fn streams(registers: &Registers) -> Option<Vec<Stream>> {
    use reg::VGT_GS_OUT_PRIM_TYPE as P;
    let sizes = [
        registers.field(reg::VGT_GS_VERT_ITEMSIZE::ITEMSIZE),
        registers.field(reg::VGT_GS_VERT_ITEMSIZE_1::ITEMSIZE),
        registers.field(reg::VGT_GS_VERT_ITEMSIZE_2::ITEMSIZE),
        registers.field(reg::VGT_GS_VERT_ITEMSIZE_3::ITEMSIZE),
    ];
    let offsets = [
        0,
        registers.field(reg::VGT_GSVS_RING_OFFSET_1::OFFSET),
        registers.field(reg::VGT_GSVS_RING_OFFSET_2::OFFSET),
        registers.field(reg::VGT_GSVS_RING_OFFSET_3::OFFSET),
    ];
    let each = registers.is_set(P::UNIQUE_TYPE_PER_STREAM);
    let own = [P::OUTPRIM_TYPE, P::OUTPRIM_TYPE_1, P::OUTPRIM_TYPE_2, P::OUTPRIM_TYPE_3];
    let count = sizes.iter().rposition(|size| *size != 0).map_or(1, |last| last + 1);
    (0..count)
        .map(|n| {
            let strips = Primitive::of_geometry(registers.field(if each { own[n] } else { P::OUTPRIM_TYPE }))?;
            Some(Stream { strips, vertex: sizes[n], offset: offsets[n] })
        })
        .collect()
}

/// Whether a stream is rasterised.
fn is_rasterised(registers: &Registers, stream: u32) -> bool {
    use reg::VGT_STRMOUT_CONFIG as C;
    match registers.is_set(C::USE_RAST_STREAM_MASK) {
        true => registers.field(C::RAST_STREAM_MASK) >> stream & 1 != 0,
        false => registers.field(C::RAST_STREAM) == stream,
    }
}

impl Translator {
    /// Runs export and geometry shaders for the draw's vertices, or for what the tessellator made, and captures and draws what they
    /// put out.
    pub(super) fn draw_geometry(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
        patches: Option<&Patches>,
    ) -> Result<(), DrawError> {
        let outputs = self.run_geometry(registers, memory, draw, primitive, patches)?;
        for output in &outputs {
            let Made::Here(indices) = &output.made else { continue };
            let captured = Captured {
                stream: output.stream,
                primitive: output.primitive,
                order: Order::list(indices),
                instances: 1,
                from: From::Geometry(&output.behind),
            };
            self.capture(registers, memory, &captured)?;
        }
        for output in outputs {
            if is_rasterised(registers, output.stream) {
                self.draw_primitive(registers, memory, draw, output.primitive, Some(Front::Geometry(output)))?;
            }
        }
        Ok(())
    }

    /// Runs export and geometry shaders: what they put out of each stream of which there is something. Where a shader cannot be had,
    /// which was said, nothing is put out. What a lane puts out is known where all put out the same; else the GPU makes indices of what is
    /// drawn, and the processor waits only where something is captured, or where lanes might put out too much.
    fn run_geometry(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
        patches: Option<&Patches>,
    ) -> Result<Vec<Output>, DrawError> {
        let nothing = Ok(Vec::new());
        let on_chip = match on_chip::Setup::new(registers, patches.is_some()) {
            Ok(setup) => setup,
            Err(error) => {
                self.once.warn(format!("{error}: the draw is left out"));
                return nothing;
            }
        };
        let Some(streams) = streams(registers) else {
            self.once.warn("VGT_GS_OUT_PRIM_TYPE is none of points, lines and triangles: the draw is left out");
            return nothing;
        };
        let last = registers.is_set(reg::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST);
        let invocations = match registers.is_set(reg::VGT_GS_INSTANCE_CNT::ENABLE) {
            true => registers.field(reg::VGT_GS_INSTANCE_CNT::CNT).max(1),
            false => 1,
        };
        let (mut of_draw, mut corners) = (Vec::new(), primitive.corners());
        if patches.is_none() {
            self.each_run(registers, memory, draw, |run| corners = neighbours(primitive, last, run, &mut of_draw))?;
        }
        // Of patches an instance is drawn at a time.
        let (made, numbers, base, off_chip, instances) = match patches {
            Some(Patches { indices, numbers, off_chip, .. }) => (&indices[..], Some(&numbers[..]), 0, *off_chip, 1),
            None => (&of_draw[..], None, registers.get(reg::VGT_INDX_OFFSET), 0, draw.instances),
        };
        let plan = match &on_chip {
            Some(setup) => {
                let (vertices, primitives) = (made.len() as u64, (made.len() / corners) as u64);
                let subgroups = Subgroups::new(setup, corners, made, base, numbers, invocations);
                let subgroups = subgroups.ok_or(DrawError::Geometry { vertices, primitives })?;
                Plan::on_chip(subgroups, off_chip, instances, invocations)
            }
            None => Plan::in_memory(Lists::new(corners, made, base, numbers), off_chip, instances, invocations),
        };
        let Plan { exports, lanes, .. } = plan;
        if lanes == 0 {
            return nothing;
        }
        let [stage, geometry_stage] = match (&on_chip, patches) {
            (Some(_), Some(_)) => [&DOMAIN_EXPORT_ON_CHIP, &GEOMETRY_ON_CHIP],
            (Some(_), None) => [&EXPORT_ON_CHIP, &GEOMETRY_ON_CHIP],
            (_, Some(_)) => [&DOMAIN_EXPORT, &GEOMETRY],
            _ => [&EXPORT, &GEOMETRY],
        };
        let seen = shaders::geometry_registers(geometry_stage, registers, streams.len());
        let [es_words, gs_words, _, max_vert_out] = seen.rings;
        let waves = |lanes: u64| lanes.div_ceil(LANES.into());
        let bytes = |lanes: u64, words: u32| waves(lanes) * u64::from(LANES) * u64::from(words) * 4;
        let record = geometry::record(max_vert_out) as usize;
        let log_size = lanes * (record * streams.len() * 4) as u64;
        let sizes = match &plan.subgroups {
            Some(subgroups) => [subgroups.windows(lanes) * u64::from(subgroups.share), 0, log_size],
            None => [bytes(exports, es_words), bytes(lanes, gs_words), log_size],
        };
        if sizes.iter().any(|size| *size > MOST_BYTES)
            || waves(exports).max(waves(lanes)) > geometry::MOST_GROUPS.into()
        {
            return Err(DrawError::Geometry { vertices: exports, primitives: lanes });
        }

        self.bound_samplers();
        let Some(mut export) = self.gather(stage, registers, memory) else { return nothing };
        let Some(mut shader) = self.gather(geometry_stage, registers, memory) else { return nothing };
        let vertex_list = self.own_bytes(Use::Vertices, bytemuck::cast_slice(&plan.vertices))?;
        let primitive_list = self.own_bytes(Use::Primitives, bytemuck::cast_slice(&plan.primitives))?;
        let log = StorageBinding { buffer: self.own_buffer(Use::Log, log_size)?, word: 0, offset: 0, size: log_size };
        let behind = if let Some(subgroups) = &plan.subgroups {
            let buffer = self.own_buffer(Use::Share, sizes[0])?;
            let share = StorageBinding { buffer, word: subgroups.share, offset: 0, size: sizes[0] };
            let none = StorageBinding::default();
            serve(&mut export, share, patches.map_or(none, |patches| patches.points));
            serve(&mut shader, share, none);
            Some(Behind::Share(share))
        } else {
            self.own_buffer(Use::Inputs, sizes[0])?;
            self.own_buffer(Use::Outputs, sizes[1])?;
            let wave = |words: u32| u64::from(words) * 4 * u64::from(LANES);
            let ring = |address, words, own: Own| Ring { address, wave: wave(words), buffer: own.id, size: own.size };
            // Programs that hand nothing on have none.
            let inputs = export.ring().map(|address| ring(address, es_words, self.owned.get(Use::Inputs)));
            let outputs = shader.ring().map(|address| ring(address, gs_words, self.owned.get(Use::Outputs)));
            export.use_rings(inputs.as_slice());
            let both: Vec<Ring> = inputs.into_iter().chain(outputs).collect();
            shader.use_rings(&both);
            if let Some(patches) = patches {
                patches.serve(&mut export);
            }
            outputs.map(Behind::Ring)
        };
        export.behind = vec![vertex_list, StorageBinding::default()];
        shader.behind = vec![primitive_list, log];
        self.ready(&[&export, &shader], memory)?;

        let id = self.shader(stage, shaders::export_registers(stage, registers), &export)?;
        self.bind(stage, &export, memory)?;
        self.put_draw(Stage::Compute, &plan.said[0]);
        self.port.push(&Dispatch { shader: id, groups: [waves(exports) as u32, 1, 1] });
        self.mark_written(&export, memory);

        let id = self.shader(geometry_stage, seen, &shader)?;
        self.bind(geometry_stage, &shader, memory)?;
        self.put_draw(Stage::Compute, &plan.said[1]);
        self.port.push(&Dispatch { shader: id, groups: [waves(lanes) as u32, 1, 1] });
        self.mark_written(&shader, memory);

        let Some(behind) = behind else { return nothing };
        let known = shader.code.resources.messages.as_ref().map(|messages| -> Vec<Vec<u32>> {
            (0..streams.len()).map(|stream| geometry::recorded(messages, stream as u8, max_vert_out)).collect()
        });
        let count = streams.len() as u32;
        let emitted = |number, stream| {
            let rings = [gs_words, max_vert_out];
            Emitted { log, list: primitive_list, ..plan.emitted(stream, rings, last, [number, count], invocations) }
        };
        if known.is_none() && !(0..count).any(|stream| captures(registers, stream)) {
            let drawn = (0..).zip(&streams).filter(|(number, _)| is_rasterised(registers, *number));
            let drawn: Vec<_> = drawn.map(|(number, stream)| (stream, emitted(number, stream))).collect();
            if drawn.iter().all(|(_, emitted)| emitted.most_indices() <= MOST_INDICES as u64) {
                let output = |(stream, emitted): (&Stream, Emitted)| Output {
                    stream: emitted.stream[0],
                    primitive: stream.strips,
                    made: Made::There(emitted),
                    behind,
                };
                return Ok(drawn.into_iter().map(output).collect());
            }
        }
        let log = if known.is_some() { Vec::new() } else { self.read_log(log_size)? };
        let mut made = Vec::new();
        for (number, stream) in (0..).zip(&streams) {
            let rings = [gs_words, max_vert_out];
            let indices = match &known {
                Some(known) => plan.assemble(stream, rings, last, |_| &known[number]),
                None => plan.assemble(stream, rings, last, |lane| {
                    &log[(lane as usize * streams.len() + number) * record..][..record]
                }),
            }?;
            if !indices.is_empty() {
                made.push(Output {
                    stream: number as u32,
                    primitive: stream.strips,
                    made: Made::Here(indices),
                    behind,
                });
            }
        }
        Ok(made)
    }

    /// The log's words.
    fn read_log(&mut self, size: u64) -> Result<Vec<u32>, PortError> {
        let mut log = vec![0u32; (size / 4) as usize];
        self.read_buffer(self.owned.get(Use::Log).id, 0, bytemuck::cast_slice_mut(&mut log))?;
        Ok(log)
    }
}

#[cfg(test)]
mod tests {
    use super::super::emitted;
    use super::*;

    fn all_runs(record: &[u32], most: u32) -> Vec<std::ops::Range<u32>> {
        let mut all = Vec::new();
        runs(record, most, |run| all.push(run));
        all
    }

    #[test]
    fn a_strip_ends_behind_a_cut_or_the_last_vertex() {
        assert_eq!(all_runs(&[0, 0], 4), []);
        assert_eq!(all_runs(&[4, 0b1000], 4), vec![(0..4)]);
        assert_eq!(all_runs(&[5, 0b0010], 8), [0..2, 2..5]);
        assert_eq!(all_runs(&[34, 1 << 31, 1], 64), [0..32, 32..33, 33..34]);
        // What a program says that says too much.
        assert_eq!(all_runs(&[u32::MAX, 0], 3), vec![(0..3)]);
    }

    #[test]
    fn vertices_are_exported_once() {
        let made = [7, 8, 9, 9, 8, 10, 1];
        let lists = Lists::new(3, &made, 100, None);
        assert_eq!(lists.vertices, [107, 108, 109, 110]);
        assert_eq!(lists.primitives, [0, 1, 2, 0, 0, 0, 0, 2, 1, 3, 0, 0, 0, 1]);
        let lists = Lists::new(3, &made, 0, Some(&[4, 4]));
        assert_eq!(lists.primitives, [0, 1, 2, 0, 0, 0, 4, 2, 1, 3, 0, 0, 0, 4]);
    }

    /// Random records of so many lanes and streams.
    fn noise(lanes: u64, streams: usize, max_vert_out: u32) -> Vec<u32> {
        let mut state = lanes * 31 + u64::from(max_vert_out);
        let mut next = move || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (state >> 33) as u32
        };
        let mut log = Vec::new();
        for _ in 0..lanes as usize * streams {
            // Some say more than there may be.
            log.push(next() % (max_vert_out + 2));
            log.extend((1..geometry::record(max_vert_out)).map(|_| next() & next()));
        }
        log
    }

    #[test]
    fn the_gpu_makes_the_indices_that_the_processor_makes() {
        let made: Vec<u32> = (0..300).map(|at| at * 7 % 40).collect();
        let setup = on_chip::Setup { enough: [60, 30], share: 4096 };
        for invocations in [1, 3] {
            let in_memory = || Plan::in_memory(Lists::new(3, &made, 0, None), 0, 2, invocations);
            let on_chip =
                || Plan::on_chip(Subgroups::new(&setup, 3, &made, 0, None, invocations).unwrap(), 0, 2, invocations);
            for (plan, max_vert_out) in [in_memory(), on_chip()].into_iter().flat_map(|plan| {
                let plan = std::rc::Rc::new(plan);
                [1, 5, 40].map(|most| (plan.clone(), most))
            }) {
                let log = noise(plan.lanes, 2, max_vert_out);
                let record = geometry::record(max_vert_out) as usize;
                for (number, strips, last) in [
                    (0, Primitive::TriangleStrip, false),
                    (1, Primitive::TriangleStrip, true),
                    (1, Primitive::LineStrip, false),
                    (0, Primitive::Points, true),
                ] {
                    let stream = Stream { strips, vertex: 6, offset: 100 * number };
                    let rings = [700, max_vert_out];
                    let here = plan
                        .assemble(&stream, rings, last, |lane| &log[(lane * 2 + number) as usize * record..][..record]);
                    let emitted = plan.emitted(&stream, rings, last, [number, 2], invocations);
                    let there = emitted::interpreted(&emitted, &log, &plan.primitives);
                    assert!(here.unwrap() == there, "{emitted:?}");
                }
            }
        }
    }
}
