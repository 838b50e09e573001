//! The encoder that is open: what every call of it looks at first.

use std::sync::Arc;

use afterimage_metal_calls::{
    Aspect, BufferLayout, DepthResolve, Device, Fault, PrimitiveType, Queue, Region, RenderPass, ScissorRect, Stage,
    Viewport,
};

use super::SoftQueue;
use crate::checks;
use crate::command::{
    Amount, Attachment, Command, Dispatch, Draw, Extent, Groups, IndexSource, Pass, State, Table, Target,
};
use crate::device::SoftDevice;
use crate::objects::{SoftBuffer, SoftComputePipeline};
use crate::texture::SoftTexture;

/// The encoder that is open.
#[derive(Debug, Default)]
pub(super) enum Mode {
    #[default]
    None,
    /// The pass was refused, or another encoder was open: its calls are nothing.
    Refused,
    Render(Box<Pass>, Box<State>, Vec<Draw>),
    Compute(Option<SoftComputePipeline>, Arc<Table>),
    Blit,
}

impl SoftQueue {
    pub(super) fn device(&self) -> &SoftDevice {
        &self.device
    }

    /// What is encoded between encoders.
    pub(super) fn encode_outside(&mut self, call: &'static str, command: Command) {
        if matches!(self.mode, Mode::None) {
            self.commands.push(command);
        } else {
            self.fault(call, "an encoder is open");
        }
    }

    pub(super) fn fault(&mut self, call: &'static str, text: impl Into<String>) {
        self.faults.push(Fault { call, text: text.into(), lost: false, command_buffer: 0 });
    }

    /// Whether there is none; each fault of a call is one.
    pub(super) fn fine(&mut self, call: &'static str, faults: Vec<String>) -> bool {
        let fine = faults.is_empty();
        if !fine {
            self.fault(call, faults.join("; "));
        }
        fine
    }

    /// The state of the render encoder that is open.
    pub(super) fn state(&mut self, call: &'static str) -> Option<&mut State> {
        if !matches!(self.mode, Mode::Render(..) | Mode::Refused) {
            self.fault(call, "no render encoder is open");
        }
        if let Mode::Render(_, state, _) = &mut self.mode { Some(state) } else { None }
    }

    /// Sets viewports, if all are right.
    pub(super) fn viewports(&mut self, call: &'static str, all: &[Viewport]) {
        let limits = self.device.facts().limits;
        let most = f64::from(limits.viewport);
        let Some(state) = self.state(call) else { return };
        let wrong = |viewport: &Viewport| {
            let Viewport { origin, size, depth } = *viewport;
            let finite = [origin, size, depth].as_flattened().iter().all(|v| v.is_finite());
            let inside =
                [0, 1].iter().all(|&n| size[n] >= 0.0 && origin[n].abs() <= most && origin[n] + size[n] <= most);
            !(finite && inside && depth.iter().all(|d| (0.0..=1.0).contains(d)))
        };
        if let Some(viewport) = all.iter().find(|viewport| wrong(viewport)) {
            let text = format!("{viewport:?}: not finite, of negative size, beyond {most}, or depth beyond 0 to 1");
            self.fault(call, text);
        } else if all.is_empty() || all.len() > limits.viewports as usize {
            self.fault(call, format!("count ({}) is not 1 to {}", all.len(), limits.viewports));
        } else {
            state.viewports = all.to_vec();
        }
    }

    /// Sets scissor rectangles, if all are right.
    pub(super) fn scissors(&mut self, call: &'static str, all: &[ScissorRect]) {
        let most = self.device.facts().limits.viewports;
        if self.state(call).is_none() {
            return;
        }
        let Mode::Render(pass, state, _) = &mut self.mode else { return };
        let whole = pass.extent.size;
        let inside = |rect: &ScissorRect, n: usize| {
            rect.size[n] > 0 && u64::from(rect.origin[n]) + u64::from(rect.size[n]) <= u64::from(whole[n])
        };
        if let Some(rect) = all.iter().find(|rect| !(inside(rect, 0) && inside(rect, 1))) {
            let text = format!("(rect.origin + rect.size)({rect:?}) must be <= render pass {whole:?}, and not empty");
            self.fault(call, text);
        } else if all.is_empty() || all.len() > most as usize {
            self.fault(call, format!("count ({}) is not 1 to {most}", all.len()));
        } else {
            state.scissors = all.to_vec();
        }
    }

    /// The table of a stage of the encoder that is open.
    pub(super) fn table(&mut self, call: &'static str, stage: Stage) -> Option<&mut Table> {
        let wrong = match (&self.mode, stage) {
            (Mode::Render(..), Stage::Vertex | Stage::Fragment) | (Mode::Compute(..), Stage::Kernel) => false,
            (Mode::Refused, _) => return None,
            _ => true,
        };
        if wrong {
            self.fault(call, format!("no encoder with a {stage:?} stage is open"));
            return None;
        }
        match (&mut self.mode, stage) {
            (Mode::Render(_, state, _), Stage::Vertex) => Some(Arc::make_mut(&mut state.vertex)),
            (Mode::Render(_, state, _), _) => Some(Arc::make_mut(&mut state.fragment)),
            (Mode::Compute(_, table), _) => Some(Arc::make_mut(table)),
            _ => None,
        }
    }

    pub(super) fn index(&mut self, call: &'static str, index: u32, most: u32) -> bool {
        let fine = index < most;
        if !fine {
            self.fault(call, format!("index ({index}) must be < {most}"));
        }
        fine
    }

    /// Whether a blit encoder is open.
    pub(super) fn in_blit(&mut self, call: &'static str) -> bool {
        if !matches!(self.mode, Mode::Blit | Mode::Refused) {
            self.fault(call, "no blit encoder is open");
        }
        matches!(self.mode, Mode::Blit)
    }

    /// Whether an encoder may begin.
    pub(super) fn begins(&mut self, call: &'static str) -> bool {
        // What is encoded for a device that is gone is not executed.
        self.device.fate().lives();
        let fine = matches!(self.mode, Mode::None);
        if !fine {
            self.fault(call, "encoding in progress: another encoder is open");
            self.end_encoding();
        }
        self.groups[1] = 0;
        fine
    }

    pub(super) fn draw_with(
        &mut self,
        call: &'static str,
        primitive: PrimitiveType,
        amount: Amount,
        indices: Option<IndexSource>,
    ) {
        let Some(state) = self.state(call) else { return };
        let state = state.clone();
        let Some(pipeline) = state.pipeline.clone() else {
            self.fault(call, "no render pipeline is set");
            return;
        };
        let draw = Draw { state, pipeline, primitive, amount, indices };
        let faults = match &self.mode {
            Mode::Render(pass, ..) => checks::draw(self.device.facts(), &draw, pass),
            _ => return,
        };
        if self.fine(call, faults)
            && let Mode::Render(_, _, draws) = &mut self.mode
        {
            draws.push(draw);
        }
    }

    pub(super) fn dispatch_with(&mut self, call: &'static str, groups: Groups, threads: [u32; 3]) {
        let (pipeline, table) = match &self.mode {
            Mode::Compute(pipeline, table) => (pipeline.clone(), Arc::clone(table)),
            Mode::Refused => return,
            _ => return self.fault(call, "no compute encoder is open"),
        };
        let Some(pipeline) = pipeline else { return self.fault(call, "no compute pipeline is set") };
        let faults = checks::dispatch(self.device.facts(), &pipeline, &table, &groups, threads);
        if self.fine(call, faults) {
            self.commands.push(Command::Dispatch(Box::new(Dispatch { pipeline, table, groups, threads })));
        }
    }

    pub(super) fn copy_texels(
        &mut self,
        call: &'static str,
        to_texture: bool,
        (buffer, layout): (&SoftBuffer, BufferLayout),
        (texture, region, aspect): (&SoftTexture, Region, Aspect),
    ) {
        if !self.in_blit(call) {
            return;
        }
        let facts = self.device.facts();
        let faults = checks::copy_buffer_texture(facts, to_texture, buffer, layout, texture, region, aspect);
        if self.fine(call, faults) {
            let (buffer, texture) = (buffer.clone(), texture.clone());
            self.commands.push(Command::CopyTexels { to_texture, buffer, layout, texture, region, aspect });
        }
    }
}

/// What a pass has, kept.
pub(super) fn owned(from: &RenderPass<'_, SoftDevice>, extent: Extent) -> Pass {
    Pass {
        label: from.label.to_owned(),
        extent,
        colors: from
            .colors
            .iter()
            .map(|c| {
                c.as_ref().map(|c| Attachment {
                    target: Target::of(&c.target),
                    resolve: c.resolve.as_ref().map(|r| (Target::of(r), DepthResolve::Sample0)),
                    load: c.load,
                    store: c.store,
                })
            })
            .collect(),
        depth: from.depth.as_ref().map(|d| Attachment {
            target: Target::of(&d.target),
            resolve: d.resolve.as_ref().map(|(r, how)| (Target::of(r), *how)),
            load: d.load,
            store: d.store,
        }),
        stencil: from.stencil.as_ref().map(|s| Attachment {
            target: Target::of(&s.target),
            resolve: None,
            load: s.load,
            store: s.store,
        }),
        visibility: from.visibility.cloned(),
        counted: Vec::new(),
        layers_set: from.layers > 0,
    }
}
