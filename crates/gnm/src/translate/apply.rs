//! Dirty groups to packets: what each group computes of the registers, and where that goes.
//!
//! A group's result is a function of a [`View`](afterimage_gnm_types::View) and of the few states that the translation adds
//! ([`GnmStates`]); what the receiver has already is not sent again. Results of a draw are the translator's, as only one queue
//! draws; those of dispatches are kept by queue, each of which has its own registers and its own tracker.

use super::levels::DISPATCH;
use super::plan::{self, Plan};
use super::prepared::{Bound, Compute};
use super::shaders::{self, COMPUTE, Stages, VERTEX};
use super::states::{self, Blend};
use super::stencils::Tests;
use super::targets::{self, Described};
use super::viewport::{self, Transform, Visible};
use super::{Translator, queries};
use crate::memory::GuestMemory;
use afterimage_gnm_types::{GnmStates, Group, Groups, Registers, reg};
use afterimage_shader_gcn::io;
use afterimage_state::{Apply, Effect, State, Tracker, apply_dirty, check_clean, trace};
use afterimage_stream::DeviceFeatures;
use afterimage_stream::packets::*;
use std::fmt::Debug;

/// A program cannot be had, which was said.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoProgram;

/// What is not of the registers, but of the draw.
#[derive(Debug, Default)]
struct Inputs {
    stage: Option<&'static Stages>,
    size: [u32; 2],
    has: [bool; 2],
    polygons: bool,
    points: bool,
}

/// The last result of each group.
#[derive(Debug, Default)]
pub(super) struct Applied {
    inputs: Inputs,
    pub(super) plan: Plan,
    targets: Option<Described>,
    pub(super) viewport: Option<Transform>,
    pub(super) visible: Option<Visible>,
    /// None in it where all polygons are culled.
    pub(super) raster: Option<Option<SetRaster>>,
    pub(super) blend: Option<Blend>,
    pub(super) tests: Option<Tests>,
    depth_bounds: Option<SetDepthBounds>,
    pub(super) counts: bool,
    pub(super) vertex: io::Registers,
    pub(super) pixel: io::Registers,
}

/// A state that is read by a group.
fn read<T>(state: State<GnmStates>, value: T) -> T {
    trace::read(state);
    value
}

impl Applied {
    /// What runs as the vertex stage.
    fn stage(&self) -> &'static Stages {
        read(GnmStates::STAGE, self.inputs.stage.unwrap_or(&VERTEX))
    }

    fn size(&self) -> [u32; 2] {
        read(GnmStates::SIZE, self.inputs.size)
    }

    fn has(&self) -> [bool; 2] {
        read(GnmStates::HAS, self.inputs.has)
    }

    fn polygons(&self) -> bool {
        read(GnmStates::POLYGONS, self.inputs.polygons)
    }

    /// The targets as the registers describe them.
    pub(super) fn targets(&self) -> Option<&Described> {
        trace::read_result::<GnmStates>(Group::Targets);
        self.targets.as_ref()
    }

    /// [`io::position`]'s bits.
    fn position(&self) -> u32 {
        trace::read_result::<GnmStates>(Group::Viewport);
        let points = read(GnmStates::POINTS, self.inputs.points);
        self.viewport.as_ref().map_or(0, |transform| transform.position) | if points { io::position::POINTS } else { 0 }
    }

    /// What of `seen` is of the vertex stage, on a device with several viewports or not.
    fn vertex_key(&self, registers: &Registers, several: bool) -> io::Registers {
        let mut seen = shaders::stage_registers(self.stage(), registers, self.position());
        if !several {
            seen.vs_out_cntl &= !reg::PA_CL_VS_OUT_CNTL::USE_VTX_VIEWPORT_INDX.bits(1);
        }
        seen
    }

    /// Says what runs as the vertex stage.
    pub(super) fn set_stage(&mut self, stage: &'static Stages, tracker: &mut Tracker<GnmStates>) {
        tracker.write(GnmStates::STAGE, &mut self.inputs.stage, Some(stage));
    }

    /// Says whether polygons, and points, are drawn.
    pub(super) fn set_primitives(&mut self, polygons: bool, points: bool, tracker: &mut Tracker<GnmStates>) {
        tracker.write(GnmStates::POLYGONS, &mut self.inputs.polygons, polygons);
        tracker.write(GnmStates::POINTS, &mut self.inputs.points, points);
    }
}

/// Stores a result: whether it is another.
fn replace<T: PartialEq>(held: &mut T, value: T) -> bool {
    let is_new = *held != value;
    *held = value;
    is_new
}

/// A translator, and what it draws or runs.
struct Applying<'a> {
    translator: &'a mut Translator,
    registers: &'a mut Registers,
    memory: &'a mut dyn GuestMemory,
    compute: Option<&'a mut Compute>,
}

impl Apply<GnmStates> for Applying<'_> {
    type Error = NoProgram;

    fn tracker(&mut self) -> &mut Tracker<GnmStates> {
        &mut self.registers.tracker
    }

    fn apply(&mut self, group: Group) -> Result<Effect, NoProgram> {
        let Self { translator: own, registers, memory, compute } = self;
        let [several, bounds] = own.has_features([DeviceFeatures::VIEWPORTS, DeviceFeatures::DEPTH_BOUNDS]);
        let applied = &mut own.applied;
        Ok(Effect::of(match group {
            Group::Plan => replace(&mut applied.plan, plan::plan(registers)),
            Group::VertexStage | Group::PixelStage => {
                trace::read(GnmStates::MEMORY);
                let stage = if group == Group::PixelStage { &shaders::PIXEL } else { applied.stage() };
                let needs = own.gather(stage, registers, *memory).ok_or(NoProgram)?;
                let held = match group {
                    Group::PixelStage => &mut own.prepared.pixel,
                    _ => &mut own.prepared.vertex,
                };
                Bound::put(held, needs);
                true
            }
            Group::Targets => {
                let described = targets::describe(registers, &mut own.once);
                replace(&mut applied.targets, Some(described))
            }
            Group::Surfaces => {
                trace::read(GnmStates::MEMORY);
                own.bind_targets(*memory);
                let (tracker, inputs) = (&mut registers.tracker, &mut own.applied.inputs);
                tracker.write(GnmStates::SIZE, &mut inputs.size, own.targets.size)
                    | tracker.write(GnmStates::HAS, &mut inputs.has, own.targets.has)
            }
            Group::Viewport => {
                let transform = viewport::transform(registers, applied.size(), several, &mut own.once);
                own.port.put(&mut own.sent.viewport, transform.viewport);
                replace(&mut applied.viewport, Some(transform))
            }
            Group::Scissor => {
                let visible = viewport::visible(registers, applied.size());
                own.port.put(&mut own.sent.scissor, SetScissor { rect: visible.first(0) });
                replace(&mut applied.visible, Some(visible))
            }
            Group::Raster => {
                let raster = states::raster(registers, applied.polygons(), &mut own.once);
                if let Some(raster) = raster {
                    own.port.put(&mut own.sent.raster, raster);
                }
                replace(&mut applied.raster, Some(raster))
            }
            Group::Blend => {
                let blend = states::blend(registers, &mut own.once);
                let is_new = applied.blend.as_ref() != Some(&blend);
                if is_new {
                    blend.push(&mut own.port);
                    applied.blend = Some(blend);
                }
                is_new
            }
            Group::DepthStencil => {
                let tests = Tests::of(registers, applied.has(), &mut own.once);
                own.port.put(&mut own.sent.depth_stencil, tests.state);
                let bounds = states::depth_bounds(registers, applied.has()[0], bounds, &mut own.once);
                own.port.put(&mut own.sent.depth_bounds, bounds);
                replace(&mut applied.tests, Some(tests)) | replace(&mut applied.depth_bounds, Some(bounds))
            }
            Group::Queries => replace(&mut applied.counts, queries::counts(registers)),
            Group::VertexKey => {
                let seen = applied.vertex_key(registers, several);
                replace(&mut applied.vertex, seen)
            }
            Group::PixelKey => replace(&mut applied.pixel, shaders::pixel_registers(registers)),
            Group::ComputeStage => {
                trace::read(GnmStates::COMPUTE_MEMORY);
                let needs = own.gather(&COMPUTE, registers, *memory).ok_or(NoProgram)?;
                if let Some(compute) = compute {
                    compute.needs = Some(needs);
                }
                true
            }
            Group::ComputeKey => {
                let seen = shaders::compute_registers(registers);
                compute.as_mut().is_some_and(|compute| replace(&mut compute.seen, seen))
            }
        }))
    }

    fn recompute(&mut self, group: Group) -> Option<String> {
        let Self { translator: own, registers, memory, compute } = self;
        let registers: &Registers = registers;
        let [several, bounds] = own.has_features([DeviceFeatures::VIEWPORTS, DeviceFeatures::DEPTH_BOUNDS]);
        match group {
            Group::Plan => differs(&own.applied.plan, &plan::plan(registers)),
            Group::VertexStage | Group::PixelStage => {
                let (stage, held) = match group {
                    Group::PixelStage => (&shaders::PIXEL, own.prepared.pixel.take()),
                    _ => (own.applied.stage(), own.prepared.vertex.take()),
                };
                let found = held.as_ref().and_then(|held| own.needs_else(stage, held, registers, *memory));
                match group {
                    Group::PixelStage => own.prepared.pixel = held,
                    _ => own.prepared.vertex = held,
                }
                found
            }
            Group::Targets => differs(&own.applied.targets, &Some(targets::describe(registers, &mut own.once))),
            // What it is made of besides the description is memory and surfaces, of which each change is noted.
            Group::Surfaces => None,
            Group::Viewport => {
                let transform = viewport::transform(registers, own.applied.size(), several, &mut own.once);
                differs(&own.applied.viewport, &Some(transform))
            }
            Group::Scissor => differs(&own.applied.visible, &Some(viewport::visible(registers, own.applied.size()))),
            Group::Raster => {
                let raster = states::raster(registers, own.applied.polygons(), &mut own.once);
                differs(&own.applied.raster, &Some(raster))
            }
            Group::Blend => differs(&own.applied.blend, &Some(states::blend(registers, &mut own.once))),
            Group::DepthStencil => {
                let tests = Tests::of(registers, own.applied.has(), &mut own.once);
                let bounds = states::depth_bounds(registers, own.applied.has()[0], bounds, &mut own.once);
                differs(&own.applied.tests, &Some(tests)).or_else(|| differs(&own.applied.depth_bounds, &Some(bounds)))
            }
            Group::Queries => differs(&own.applied.counts, &queries::counts(registers)),
            Group::VertexKey => differs(&own.applied.vertex, &own.applied.vertex_key(registers, several)),
            Group::PixelKey => differs(&own.applied.pixel, &shaders::pixel_registers(registers)),
            Group::ComputeStage => {
                let Compute { needs, moves, .. } = &**compute.as_ref()?;
                own.other_needs(&COMPUTE, needs.as_ref()?, *moves, registers, *memory)
            }
            Group::ComputeKey => differs(&compute.as_ref()?.seen, &shaders::compute_registers(registers)),
        }
    }
}

/// What is computed now, where that is not what was applied.
fn differs<T: PartialEq + Debug>(applied: &T, now: &T) -> Option<String> {
    (applied != now).then(|| format!("{now:?} instead of {applied:?}"))
}

impl Translator {
    /// Whether the device has these features.
    fn has_features<const N: usize>(&self, features: [u32; N]) -> [bool; N] {
        let has = self.port.device().features;
        features.map(|feature| has & feature != 0)
    }

    /// Sends the viewports behind the first, which two groups make together, with their scissors in a pass of a draw.
    pub(super) fn put_further_viewports(&mut self, pass: usize) {
        let (Some(transform), Some(visible)) = (&self.applied.viewport, &self.applied.visible) else { return };
        let sent = self.sent.viewports.as_deref().unwrap_or(&[]);
        if transform.further.is_empty() && sent.is_empty() {
            return;
        }
        let both = transform.further.iter().zip(visible.further(pass));
        let all: Vec<FurtherViewport> =
            both.map(|(viewport, scissor)| FurtherViewport { viewport: *viewport, scissor }).collect();
        if *sent != all[..] {
            self.port.push_tail(&SetViewports { count: all.len() as u32, pad: 0 }, &all);
            self.sent.viewports = Some(all);
        }
    }

    /// Whether a draw takes several: for parts of the targets, and for what it does to stencils.
    pub(super) fn draws_often(&self) -> [bool; 2] {
        let parts = self.applied.visible.as_ref().is_some_and(|visible| visible.passes() > 1);
        [parts, self.applied.tests.as_ref().is_some_and(|tests| !tests.before.is_empty())]
    }

    /// Applies what is dirty of these groups.
    pub(super) fn apply(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        level: Groups,
    ) -> Result<(), NoProgram> {
        apply_dirty(&mut Applying { translator: self, registers, memory, compute: None }, level)
    }

    /// Finds what clean groups have missed, if there is anything.
    pub(super) fn check(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, level: Groups) {
        check_clean(&mut Applying { translator: self, registers, memory, compute: None }, level);
    }

    /// Applies what is dirty for a dispatch.
    pub(super) fn apply_compute(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        compute: &mut Compute,
    ) -> Result<(), NoProgram> {
        apply_dirty(&mut Applying { translator: self, registers, memory, compute: Some(compute) }, DISPATCH)
    }

    /// [`Translator::check`] behind a dispatch.
    pub(super) fn check_compute(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        compute: &mut Compute,
    ) {
        check_clean(&mut Applying { translator: self, registers, memory, compute: Some(compute) }, DISPATCH);
    }
}
