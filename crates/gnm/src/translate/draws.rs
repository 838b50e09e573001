//! Draws.

use super::Translator;
use super::emitted::Emitted;
use super::front::{Front, Made, Output, Patches};
use super::levels::{DESCRIPTION, PIXEL_KEY, PLAN, STAGES, STATES, TARGETS, VERTEX_STAGE};
use super::plan::{DrawError, Vertices, mode};
use super::prepared::{Again, Prepared};
use super::primitives::{MOST_INDICES, Primitive};
use super::resources::Needs;
use super::shaders::{DOMAIN, PIXEL, VERTEX};
use super::{targets, viewport};
use crate::machine::{self, IndexKind, Indices};
use crate::memory::GuestMemory;
use afterimage_gnm_types::{GnmStates, Group, Registers, reg};
use afterimage_state::checking;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind};
use smallvec::SmallVec;

impl Translator {
    /// Does a draw.
    pub(super) fn draw_vertices(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
    ) {
        match self.draw_again(registers, memory, draw) {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => return self.once.warn(format!("draw: {error}")),
        }
        // Whoever leaves before the end leaves nothing for the next draw.
        self.prepared.again = None;
        if self.apply(registers, memory, PLAN).is_err() {
            return;
        }
        let plan = self.applied.plan;
        let stages = plan.stages;
        use reg::VGT_SHADER_STAGES_EN as S;
        let has_patches = S::LS_EN.is_set(stages);
        if has_patches != S::HS_EN.is_set(stages) {
            return self
                .once
                .warn("VGT_SHADER_STAGES_EN has one of LS_EN and HS_EN, which go together: such draws are left out");
        }
        let has_geometry = S::GS_EN.is_set(stages);
        if has_geometry != S::ES_EN.is_set(stages) {
            return self
                .once
                .warn("VGT_SHADER_STAGES_EN has one of ES_EN and GS_EN, which go together: such draws are left out");
        }
        let counted = if draw.opaque { self.opaque(registers, draw) } else { *draw };
        let draw = &counted;
        if draw.count == 0 {
            return;
        }
        let number = plan.primitive;
        let primitive = if has_patches { Some(Primitive::Points) } else { Primitive::of(number) };
        let Some(primitive) = primitive else {
            let name = afterimage_gnm_types::enums::DI_PRIM_TYPE.of(number).unwrap_or("?");
            return self
                .once
                .warn(format!("primitives of type {number} ({name}) are not supported: they are left out"));
        };
        match plan.color_mode {
            mode::RESOLVE => return self.resolve(registers, memory),
            // What these passes change is the way in which memory holds colours, which images here do not have.
            mode::ELIMINATE_FAST_CLEAR | mode::FMASK_DECOMPRESS | mode::DCC_DECOMPRESS => {
                self.apply_targets(registers, memory);
                return;
            }
            _ => {}
        }
        if self.clears_depth(registers, memory, primitive) {
            return;
        }
        let drawn = match (has_patches, has_geometry) {
            (true, _) => self.draw_patches(registers, memory, draw),
            (_, true) => self.draw_geometry(registers, memory, draw, primitive, None),
            _ => self.draw_primitive(registers, memory, draw, primitive, None),
        };
        if let Err(error) = drawn {
            self.once.warn(format!("draw: {error}"));
        }
    }

    /// Draws primitives, of the draw's vertices or of what stages in front of the vertex stage made.
    pub(super) fn draw_primitive(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
        front: Option<Front>,
    ) -> Result<(), DrawError> {
        if !matches!(front, Some(Front::Geometry(_))) {
            self.feedback_draw(registers, memory, draw, primitive, front.as_ref())?;
        }
        let plan = self.applied.plan;
        if plan.kills {
            return Ok(());
        }
        self.bound_samplers();
        self.bound_shaders();
        // What the last draw was made of is of use to draws without a front, as long as nothing has moved.
        let moves = self.moves();
        let is_plain = front.is_none();
        let mut moved = !is_plain || self.prepared.moves != moves;
        if moved {
            self.prepared = Prepared::default();
        }
        let stage = match &front {
            Some(Front::Geometry(output)) => output.behind.stage(),
            Some(Front::Patches(_)) => &DOMAIN,
            None => &VERTEX,
        };
        let tracker = &mut registers.tracker;
        self.applied.set_stage(stage, tracker);
        tracker.write(GnmStates::MEMORY, &mut self.prepared.moves, moves);
        let dirty = tracker.dirty();
        let stages = if plan.has_pixels { STAGES } else { VERTEX_STAGE };
        let applied = self.apply(registers, memory, stages);
        let Prepared { vertex, mut pixel, .. } = std::mem::take(&mut self.prepared);
        let (Ok(()), Some(mut vertex)) = (applied, vertex) else { return Ok(()) };
        let mut pixels = pixel.as_mut().filter(|_| plan.has_pixels);
        let (new_vertex, new_pixel) = (dirty.contains(Group::VertexStage), dirty.contains(Group::PixelStage));
        match &front {
            Some(Front::Geometry(output)) => output.behind.serve(&mut vertex.needs),
            Some(Front::Patches(patches)) => patches.serve(&mut vertex.needs),
            None => {}
        }
        let writes = vertex.needs.writes() || pixels.as_ref().is_some_and(|pixel| pixel.needs.writes());
        let ready = self.apply(registers, memory, DESCRIPTION);
        debug_assert!(ready.is_ok(), "only programs can be missing");
        let copied = match plan.copies.any() {
            true => {
                let Some(copied) = self.copied(registers, plan.copies) else { return Ok(()) };
                Some(copied)
            }
            false => None,
        };
        // Surfaces that give way to others may have been among those that were found: then they are looked for again, once, as
        // what fits all uses is there then.
        for _ in 0..2 {
            let before = self.moves();
            let mut needs = SmallVec::<[&Needs; 2]>::new();
            needs.extend((moved || new_vertex).then_some(&vertex.needs));
            needs.extend(pixels.as_ref().filter(|_| moved || new_pixel).map(|pixel| &pixel.needs));
            self.ready(&needs, memory)?;
            if let Some(copied) = &copied {
                self.ready_copied(copied, memory);
            }
            if moved {
                registers.tracker.mark(Group::Surfaces);
            }
            let _ready = self.apply(registers, memory, TARGETS);
            if self.moves() == before {
                break;
            }
            moved = true;
        }
        if !self.targets.any && !writes {
            return Ok(());
        }
        let found = self.moves();
        let vertices = match &front {
            Some(Front::Geometry(Output { made: Made::There(emitted), .. })) => {
                Some(self.emitted_indices(primitive.assembled(), emitted)?)
            }
            Some(
                Front::Geometry(Output { made: Made::Here(indices), .. }) | Front::Patches(Patches { indices, .. }),
            ) => self.made_indices(primitive.assembled(), indices)?,
            None => self.indices(registers, memory, draw, primitive)?,
        };
        let Some(vertices) = vertices else { return Ok(()) };
        // Growing a region for indices may have moved buffers.
        moved |= self.moves() != found;
        if moved || new_vertex {
            self.bind(stage, &vertex.needs, memory)?;
        }
        if let Some(pixel) = &pixels
            && (moved || new_pixel)
        {
            self.bind(&PIXEL, &pixel.needs, memory)?;
        }
        let topology = vertices.topology();
        let points = topology == Topology::PointList;
        self.applied.set_primitives(primitive.is_filled(), points, &mut registers.tracker);
        let _ready = self.apply(registers, memory, STATES);
        let Some(transform) = &self.applied.viewport else { return Ok(()) };
        let (mirrors, pixels_of) = (transform.mirrors, transform.pixels.map(f32::to_bits));
        if self.applied.raster == Some(None) {
            return Ok(());
        }
        self.passed.count(&mut self.port, self.applied.counts);
        let drawn_by = self.stage_shader(stage, &mut vertex, self.applied.vertex)?;
        let mut shaders = SetShaders { vertex: drawn_by, ..SetShaders::default() };
        if let Some(pixel) = &mut pixels {
            let _ready = self.apply(registers, memory, PIXEL_KEY);
            shaders.pixel = self.stage_shader(&PIXEL, pixel, self.applied.pixel)?;
        }
        if let Some(copied) = &copied {
            shaders.pixel = self.bind_copied(copied, memory)?;
        }
        self.port.put(&mut self.sent.shaders, shaders);
        self.port.put(&mut self.sent.vertex_input, SetVertexInput::default());
        // What was made in front was made for instances.
        let (base, instances) = match front {
            Some(_) => (0, 1),
            None => (plan.base, draw.instances),
        };
        let (first, stream) = match &front {
            Some(Front::Patches(patches)) => (patches.off_chip, 0),
            Some(Front::Geometry(output)) => (base, output.stream),
            None => (base, 0),
        };
        let point_size = if points { plan.point_size } else { 0.0 };
        let said = [[first, stream, mirrors, point_size.to_bits()], pixels_of];
        self.put_draw(Stage::Vertex, &said);
        self.put_further_viewports(0);
        let [parts, stencils] = self.draws_often();
        // A pixel is of one part.
        if writes && stencils || vertex.needs.writes() && parts {
            self.once.warn(
                "a draw whose programs store takes several, for the parts that PA_SC_CLIPRECT_RULE leaves or for its stencil operations: \
                 they store in each",
            );
        }
        self.push_draw(&vertices, base, draw.count, instances);
        self.mark_drawn();
        for bound in [Some(&vertex), pixels.as_deref()].into_iter().flatten() {
            self.mark_written(&bound.needs, memory);
        }
        if is_plain {
            let again = plan.draws_only.then_some(Again { primitive, writes });
            self.prepared = Prepared { moves, vertex: Some(vertex), pixel, again };
        }
        if checking() {
            self.check(registers, memory, plan.level());
        }
        Ok(())
    }

    /// Rectangles that write the clear values into the depth target, whose shader and test make no difference. Whether nothing
    /// else is to be drawn.
    fn clears_depth(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, primitive: Primitive) -> bool {
        use reg::DB_RENDER_CONTROL as R;
        let control = registers.get(reg::DB_RENDER_CONTROL);
        if !(R::DEPTH_CLEAR_ENABLE.is_set(control) || R::STENCIL_CLEAR_ENABLE.is_set(control)) {
            return false;
        }
        self.apply_targets(registers, memory);
        let [has_depth, has_stencil] = self.targets.has;
        let depth = if has_depth { R::DEPTH_CLEAR_ENABLE.of(control) * Clear::DEPTH } else { 0 };
        let stencil = if has_stencil { R::STENCIL_CLEAR_ENABLE.of(control) * Clear::STENCIL } else { 0 };
        if depth | stencil == 0 {
            return false;
        }
        if primitive != Primitive::Rectangles {
            self.once
                .warn("DB_RENDER_CONTROL clears with primitives that are no rectangles: all of the target is cleared");
        }
        let visible = viewport::visible(registers, self.targets.size);
        let whole = Rect { x: 0, y: 0, width: self.targets.size[0], height: self.targets.size[1] };
        let rects: SmallVec<[Rect; 4]> = visible.rects().collect();
        match &rects[..] {
            [] => {}
            [rect] if *rect == whole => self.clear_depth(depth | stencil, &[]),
            rects => self.clear_depth(depth | stencil, rects),
        }
        // Colours, where some are written, are drawn as ever.
        (0..8).all(|n| targets::write_mask(registers, n) == 0)
    }

    /// Binds indices where the draw needs some. None if there is nothing to draw.
    pub(super) fn indices(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
    ) -> Result<Option<Vertices>, DrawError> {
        let restarts = registers.is_set(reg::VGT_MULTI_PRIM_IB_RESET_EN::RESET_EN);
        let native = primitive.native();
        let Indices::Memory { address, kind, available } = draw.indices else {
            if let Some(topology) = native {
                return Ok(Some(Vertices::Plain(topology)));
            }
            return self.assembled_indices(registers, memory, draw, primitive);
        };
        let bytes = kind.bytes();
        if let Some(topology) = native
            && !restarts
            && kind != IndexKind::U8
            && draw.count <= available
            && address.is_multiple_of(bytes)
        {
            let range = address..address + u64::from(draw.count) * bytes;
            if memory.mapped(address, range.end - range.start) == range.end - range.start {
                self.cover(memory, &range)?;
                self.refresh_buffer(memory, &range)?;
                if let Some((source, offset)) = self.buffers.at(address) {
                    let size = range.end - range.start;
                    let packet = SetIndexBuffer { source, index_bytes: bytes as u16, restart: 0, offset, size };
                    self.port.put(&mut self.sent.index_buffer, packet);
                    return Ok(Some(Vertices::Indexed(topology, 0, draw.count)));
                }
            }
        }
        self.assembled_indices(registers, memory, draw, primitive)
    }

    /// Binds indices that are made of those of the draw.
    fn assembled_indices(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        primitive: Primitive,
    ) -> Result<Option<Vertices>, DrawError> {
        let last = registers.is_set(reg::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST);
        let mut made = Vec::with_capacity(primitive.room((draw.count as usize).min(MOST_INDICES)));
        self.each_run(registers, memory, draw, |run| primitive.assemble(last, run, &mut made))?;
        self.made_indices(primitive.assembled(), &made)
    }

    /// Calls `each` for the indices of a draw, between those that restart strips.
    pub(super) fn each_run(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        mut each: impl FnMut(&[u32]),
    ) -> Result<(), DrawError> {
        if draw.count as usize > MOST_INDICES {
            return Err(DrawError::Indices(draw.count));
        }
        let Indices::Memory { address, kind, available } = draw.indices else {
            each(&(0..draw.count).collect::<Vec<u32>>());
            return Ok(());
        };
        let read = self.read_indices(memory, address, kind, draw.count.min(available), draw.count);
        if !registers.is_set(reg::VGT_MULTI_PRIM_IB_RESET_EN::RESET_EN) {
            each(&read);
            return Ok(());
        }
        let reset = registers.get(reg::VGT_MULTI_PRIM_IB_RESET_INDX);
        let reset = match kind {
            IndexKind::U8 => reset & 0xFF,
            IndexKind::U16 => reset & 0xFFFF,
            IndexKind::U32 => reset,
        };
        read.split(|index| *index == reset).for_each(each);
        Ok(())
    }

    /// `there` indices of memory, and zeros up to `count`.
    fn read_indices(
        &mut self,
        memory: &mut dyn GuestMemory,
        address: u64,
        kind: IndexKind,
        there: u32,
        count: u32,
    ) -> Vec<u32> {
        let bytes = self.index_bytes(memory, address, kind, there, count);
        match kind {
            IndexKind::U8 => bytes.iter().map(|index| u32::from(*index)).collect(),
            IndexKind::U16 => bytes.as_chunks().0.iter().map(|index| u16::from_le_bytes(*index).into()).collect(),
            IndexKind::U32 => bytes.as_chunks().0.iter().map(|index| u32::from_le_bytes(*index)).collect(),
        }
    }

    /// The bytes of `there` indices of memory, and zeros up to `count`.
    pub(super) fn index_bytes(
        &mut self,
        memory: &mut dyn GuestMemory,
        address: u64,
        kind: IndexKind,
        there: u32,
        count: u32,
    ) -> Vec<u8> {
        let mut bytes = vec![0; (u64::from(there) * kind.bytes()) as usize];
        let range = address..address.saturating_add(bytes.len() as u64);
        if self.is_newer(&range) {
            self.store_buffers(memory, &range);
            self.store_surfaces(memory, &range, None);
        }
        if !super::read_mapped(memory, address, &mut bytes) {
            self.once.warn(format!("indices at {address:#x} are not all mapped: the others are 0"));
        }
        bytes.resize((u64::from(count) * kind.bytes()) as usize, 0);
        bytes
    }

    fn made_indices(&mut self, topology: Topology, made: &[u32]) -> Result<Option<Vertices>, DrawError> {
        if made.is_empty() {
            return Ok(None);
        }
        let (range, first) = self.port.stream(true, 4, bytemuck::cast_slice(made))?;
        let source = ObjectId::new(ObjectKind::Upload, range.slot);
        self.sent.uploads_are_of(self.port.frame());
        let packet =
            SetIndexBuffer { source, index_bytes: 4, restart: 0, offset: range.offset, size: range.size.into() };
        self.port.put(&mut self.sent.index_buffer, packet);
        Ok(Some(Vertices::Indexed(topology, first, made.len() as u32)))
    }

    /// Has the GPU make indices of what a geometry shader said, and binds them.
    fn emitted_indices(&mut self, topology: Topology, emitted: &Emitted) -> Result<Vertices, DrawError> {
        let [indices, arguments] = self.make_emitted(emitted)?;
        let (source, size) = (indices.id, indices.size);
        self.port
            .put(&mut self.sent.index_buffer, SetIndexBuffer { source, index_bytes: 4, restart: 0, offset: 0, size });
        Ok(Vertices::Indirect(topology, arguments.id))
    }

    /// Copies the first colour target into the second, with one sample per pixel.
    fn resolve(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory) {
        let wanted = |n| Some(targets::color(registers, n).ok()??.on(self.port.device()));
        let (Some(from), Some(to)) = (wanted(0), wanted(1)) else {
            return self.once.warn("CB_COLOR_CONTROL.MODE resolves a target that is not there: nothing is resolved");
        };
        if let Err(error) = self.resolve_into(memory, &from, &to) {
            self.once.warn(format!("resolving a multisampled target: {error}"));
        }
        registers.tracker.mark(Group::Surfaces);
    }
}
