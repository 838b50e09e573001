//! What the last draw was made of. A draw makes again what its registers changed; one that changes none only says what it draws.
//!
//! That holds as long as nothing has moved: [`Translator::moves`] goes up with whatever else a draw depends on, which is memory,
//! what of it host buffers and images have newer, and the receiver's objects. Then everything is looked at again.

use super::Translator;
use super::plan::{DrawError, Vertices};
use super::primitives::Primitive;
use super::resources::Needs;
use super::shaders::Stages;
use super::viewport::Visible;
use crate::machine;
use crate::memory::GuestMemory;
use afterimage_gnm_types::Registers;
use afterimage_shader_gcn::io;
use afterimage_state::checking;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, PortError};

/// A stage as it was bound.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) needs: Needs,
    /// The receiver's shader, and what it was translated for.
    shader: Option<(io::Registers, ObjectId)>,
}

impl Bound {
    /// Keeps what is needed now, and the shader of what was needed before, where that serves.
    pub(super) fn put(held: &mut Option<Self>, needs: Needs) {
        let before = held.take().filter(|held| held.needs.has_code_of(&needs));
        *held = Some(Self { needs, shader: before.and_then(|held| held.shader) });
    }
}

/// What a draw of the same state needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    pub(super) primitive: Primitive,
    /// Whether its programs write buffers or images.
    pub(super) writes: bool,
}

/// The last draw.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    /// [`Translator::moves`] before any of this was made.
    pub(super) moves: u64,
    pub(super) vertex: Option<Bound>,
    pub(super) pixel: Option<Bound>,
    /// None if the draw did more than draw, such as clear or capture.
    pub(super) again: Option<Again>,
}

/// The last dispatch of a queue.
#[derive(Debug, Default)]
pub(super) struct Compute {
    /// [`Translator::moves`] before its needs were gathered.
    pub(super) moves: u64,
    pub(super) needs: Option<Needs>,
    pub(super) seen: io::Registers,
}

impl Translator {
    /// Goes up with everything that draws depend on besides registers.
    pub(super) fn moves(&self) -> u64 {
        self.epoch + self.moved + self.buffers.changes + self.surfaces.changes
    }

    /// The receiver's shader for a stage, translated for these registers.
    pub(super) fn stage_shader(
        &mut self,
        stage: &Stages,
        bound: &mut Bound,
        seen: io::Registers,
    ) -> Result<ObjectId, PortError> {
        if let Some((held, id)) = bound.shader
            && held == seen
        {
            return Ok(id);
        }
        let id = self.shader(stage, seen, &bound.needs)?;
        bound.shader = Some((seen, id));
        Ok(id)
    }

    /// Draws with the state of the last draw, if nothing has changed. Whether it was done.
    pub(super) fn draw_again(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
    ) -> Result<bool, DrawError> {
        let level = self.applied.plan.level();
        let is_clean = !draw.opaque && !registers.tracker.dirty().touches(level);
        let Some(again) = self.prepared.again.filter(|_| is_clean) else { return Ok(false) };
        let moves = self.prepared.moves;
        if moves != self.moves() {
            return Ok(false);
        }
        let vertices = self.indices(registers, memory, draw, again.primitive)?;
        // Growing a region for indices may have moved buffers.
        if moves != self.moves() {
            return Ok(false);
        }
        let Some(vertices) = vertices else { return Ok(true) };
        self.passed.count(&mut self.port, self.applied.counts);
        self.push_draw(&vertices, self.applied.plan.base, draw.count, draw.instances);
        if again.writes {
            let prepared = std::mem::take(&mut self.prepared);
            [&prepared.vertex, &prepared.pixel]
                .into_iter()
                .flatten()
                .for_each(|bound| self.mark_written(&bound.needs, memory));
            self.prepared = prepared;
        }
        if checking() {
            self.check(registers, memory, level);
        }
        Ok(true)
    }

    /// Draws with the state that the receiver has, as often as it takes. The state of the last is that of the draw.
    pub(super) fn push_draw(&mut self, vertices: &Vertices, base: u32, count: u32, instances: u32) {
        let passes = self.applied.visible.as_ref().map_or(1, Visible::passes);
        for pass in (0..passes).rev() {
            if passes > 1 {
                self.put_pass(pass);
            }
            self.draw_stencils(vertices, base, count, instances);
            self.push_one(vertices, base, count, instances);
        }
    }

    /// What a pass of a draw sees of the targets.
    fn put_pass(&mut self, pass: usize) {
        let Some(visible) = &self.applied.visible else { return };
        let rect = visible.first(pass);
        self.port.put(&mut self.sent.scissor, SetScissor { rect });
        self.put_further_viewports(pass);
    }

    /// Changes those bits of stencils that the draw itself does not change.
    fn draw_stencils(&mut self, vertices: &Vertices, base: u32, count: u32, instances: u32) {
        let Some(tests) = self.applied.tests.take() else { return };
        if !tests.before.is_empty() {
            self.passed.count(&mut self.port, false);
            if let Some(blend) = &self.applied.blend {
                blend.hidden().push(&mut self.port);
            }
            for state in &tests.before {
                self.port.put(&mut self.sent.depth_stencil, *state);
                self.push_one(vertices, base, count, instances);
            }
            self.port.put(&mut self.sent.depth_stencil, tests.state);
            if let Some(blend) = &self.applied.blend {
                blend.push(&mut self.port);
            }
            self.passed.count(&mut self.port, self.applied.counts);
        }
        self.applied.tests = Some(tests);
    }

    /// The packet of a draw.
    fn push_one(&mut self, vertices: &Vertices, base: u32, count: u32, instances: u32) {
        match *vertices {
            Vertices::Plain(topology) => {
                self.port.push(&Draw {
                    topology: topology as u32,
                    first: base,
                    count,
                    instances,
                    first_instance: 0,
                    pad: 0,
                });
            }
            Vertices::Indexed(topology, first, count) => {
                let topology = topology as u32;
                self.port.push(&DrawIndexed {
                    topology,
                    first,
                    count,
                    instances,
                    base_vertex: base as i32,
                    first_instance: 0,
                });
            }
            Vertices::Indirect(topology, buffer) => {
                let topology = topology as u32;
                self.port.push(&DrawIndirect { topology, indexed: 1, buffer, count: 1, offset: 0, stride: 0, pad: 0 });
            }
        }
    }

    /// What a stage needs now, if that is not what it has.
    pub(super) fn needs_else(
        &mut self,
        stage: &Stages,
        held: &Bound,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
    ) -> Option<String> {
        self.other_needs(stage, &held.needs, self.prepared.moves, registers, memory)
    }

    /// The same, of what was needed after so many moves. None if there were more since.
    pub(super) fn other_needs(
        &mut self,
        stage: &Stages,
        held: &Needs,
        moves: u64,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
    ) -> Option<String> {
        if self.moves() != moves {
            return None;
        }
        let needs = self.gather(stage, registers, memory)?;
        let is_other = moves == self.moves() && !needs.is_same(held);
        is_other.then(|| format!("{:?} needs {needs:?} instead of {held:?}", stage.stage))
    }
}

#[cfg(test)]
mod tests {
    use super::super::levels::DRAW_PIXELS;
    use super::super::shaders::{PIXEL, VERTEX};
    use super::*;
    use crate::machine::{Graphics, IndexKind, Indices};
    use crate::memory::Regions;
    use afterimage_gnm_types::{reg, value::*};
    use afterimage_stream::{DeviceInfo, NullLink};

    const MEMORY: u64 = 0x10_0000_0000;
    const COLOR: u64 = MEMORY + 0x10_0000;
    const CODE: u64 = MEMORY + 0x1000;
    const INDICES: u64 = MEMORY + 0x2000;

    /// A world in which triangles are drawn.
    fn world() -> (Translator, Registers, Regions) {
        let mut memory = Regions::default();
        memory.map(MEMORY, 0x20_0000).unwrap();
        let texts = ["exp pos0 v0, v0, v0, v0 done\n s_endpgm", "exp mrt0 v0, v0, v0, v0 done vm\n s_endpgm"];
        let mut registers = Registers::new();
        for ((text, at), program) in texts.iter().zip([CODE, CODE + 256]).zip([VERTEX.program, PIXEL.program]) {
            let code = afterimage_shader_gcn::assemble(text).unwrap();
            memory.write(at, bytemuck::cast_slice(&code)).unwrap();
            registers.set_run(program, &[(at >> 8) as u32, 0]);
        }
        use reg::CB_COLOR0_INFO as I;
        let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1);
        registers.set_run(reg::CB_COLOR0_BASE, &[(COLOR >> 8) as u32, 7, 63, 0, info]);
        registers.set(reg::PA_SC_CLIPRECT_RULE, 0xFFFF);
        registers.set(reg::CB_TARGET_MASK, 15);
        registers.set(reg::CB_SHADER_MASK, 15);
        registers.set(reg::CB_COLOR_CONTROL, reg::CB_COLOR_CONTROL::MODE.bits(1) | ROP3_COPY << 16);
        registers.set(reg::SPI_SHADER_POS_FORMAT, 4);
        registers.set(reg::SPI_SHADER_COL_FORMAT, 9);
        for (register, value) in
            [(reg::PA_SC_SCREEN_SCISSOR_BR, 64 << 16 | 64), (reg::PA_SC_WINDOW_SCISSOR_BR, 64 << 16 | 64)]
        {
            registers.set(register, value);
        }
        registers.set(reg::PA_SC_GENERIC_SCISSOR_BR, 64 << 16 | 64);
        registers.set(reg::VGT_PRIMITIVE_TYPE, DI_PT_TRILIST);
        let device = DeviceInfo { max_texture_2d: 16384, ..DeviceInfo::default() };
        (Translator::new(Box::new(NullLink::new(device)), "test"), registers, memory)
    }

    const DRAW: machine::Draw =
        machine::Draw { indices: Indices::Auto, count: 3, instances: 1, number: 0, opaque: false };

    #[test]
    fn a_draw_that_changes_nothing_is_only_a_draw() {
        let (mut translator, mut registers, mut memory) = world();
        // The first says what is drawn to, and the second finds that this is known.
        for _ in 0..2 {
            translator.draw(&mut registers, &mut memory, &DRAW);
        }
        assert!(!registers.tracker.dirty().touches(DRAW_PIXELS));
        assert!(translator.draw_again(&mut registers, &mut memory, &DRAW).unwrap());
        let indices = Indices::Memory { address: INDICES, kind: IndexKind::U16, available: 3 };
        let indexed = machine::Draw { indices, ..DRAW };
        translator.draw(&mut registers, &mut memory, &indexed);
        assert!(translator.draw_again(&mut registers, &mut memory, &indexed).unwrap());
        // Whatever changes has everything looked at again: registers, memory, what the processor may have done.
        registers.set(reg::CB_BLEND_RED, 1);
        assert!(!translator.draw_again(&mut registers, &mut memory, &DRAW).unwrap());
        let changes: [fn(&mut Translator); 3] =
            [|translator| translator.cpu_wrote(MEMORY, 4), Translator::begin, |translator| translator.moved += 1];
        for change in changes {
            for _ in 0..2 {
                translator.draw(&mut registers, &mut memory, &DRAW);
            }
            assert!(translator.draw_again(&mut registers, &mut memory, &DRAW).unwrap());
            change(&mut translator);
            assert!(!translator.draw_again(&mut registers, &mut memory, &DRAW).unwrap());
        }
    }

    #[test]
    fn draws_that_clear_or_capture_are_never_done_again() {
        let (mut translator, mut registers, mut memory) = world();
        registers.set(reg::DB_RENDER_CONTROL, reg::DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE.bits(1));
        for _ in 0..3 {
            translator.draw(&mut registers, &mut memory, &DRAW);
        }
        assert!(!translator.draw_again(&mut registers, &mut memory, &DRAW).unwrap());
    }
}
