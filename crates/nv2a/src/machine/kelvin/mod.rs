//! The 3D class, Kelvin (0x97): every method is state, a word of one of the vertex engine's memories, an attribute, or an
//! action.

mod actions;
mod attributes;
mod collect;
mod kinds;
mod patch;

use super::{Bus, Handles, Header, Kelvin, Stop, Unknown};
use crate::memory::DmaObject;
use afterimage_nv2a_types::method;
use afterimage_state::State;
use collect::Collector;
use kinds::Kind;
use patch::Patches;

/// Read and write index of the pictures that the program flips through.
#[derive(Clone, Copy, Debug, Default)]
struct Flip {
    read: u32,
    write: u32,
    modulo: u32,
}

/// The Kelvin object and what executes its methods.
#[derive(Debug, Default)]
pub(super) struct Engine {
    pub(super) kelvin: Kelvin,
    pub(super) time: u64,
    collector: Collector,
    patches: Patches,
    /// Slot of program memory that the next instruction goes to.
    program_load: u32,
    /// Slot of constant memory that the next constant goes to.
    constant_load: u32,
    flip: Flip,
}

/// What became of arguments.
pub(super) struct Outcome {
    /// How many were executed.
    pub(super) used: usize,
    /// What has to be done outside before the next.
    pub(super) stop: Option<Stop>,
}

/// What is said of vertices that are not kept.
const NOT_COLLECTED: &str = "is outside of begin and end, or too much for one primitive: it is not drawn";

/// What an action needs.
struct Around<'a, 'b> {
    bus: &'a mut Bus<'b>,
    handles: Handles<'a>,
    unknown: &'a mut Unknown,
    subchannel: u8,
}

impl Engine {
    /// Executes arguments, at least one, until one of them stops the machine.
    #[inline]
    pub(super) fn run(
        &mut self,
        header: Header,
        arguments: &[u32],
        bus: &mut Bus<'_>,
        handles: Handles<'_>,
        unknown: &mut Unknown,
    ) -> Outcome {
        let mut around = Around { bus, handles, unknown, subchannel: header.subchannel };
        if self.collector.has_vertices() && kinds::of(header.method).is_state() {
            return self.run_inside(header, arguments, &mut around);
        }
        self.run_all(header, arguments, &mut around)
    }

    /// State while vertices wait: primitives are drawn in one piece, with the state at their end. If it changes, that is said.
    #[cold]
    fn run_inside(&mut self, header: Header, arguments: &[u32], around: &mut Around<'_, '_>) -> Outcome {
        let Header { method: at, increasing, .. } = header;
        let run = if increasing { kinds::run_length(at).min(arguments.len()) } else { arguments.len() };
        let before = self.kelvin.registers.tracker.changes();
        let outcome = self.run_all(header, &arguments[..run], around);
        if self.kelvin.registers.tracker.changes() != before {
            let then = "between begin and end counts for the vertices before it too";
            around.unknown.argument(super::KELVIN, at, arguments[0], then);
        }
        outcome
    }

    fn run_all(&mut self, header: Header, arguments: &[u32], around: &mut Around<'_, '_>) -> Outcome {
        let mut used = 0;
        while used < arguments.len() {
            let at = header.after(used as u16).method;
            let rest = &arguments[used..];
            let kind = kinds::of(at);
            // A run of one kind is as long as the table says, or everything where all arguments go to one method.
            let run = if header.increasing { kinds::run_length(at).min(rest.len()) } else { 1 };
            let words = &rest[..run];
            used += run;
            match kind {
                Kind::State => self.kelvin.registers.set_run(at, words),
                Kind::Context => self.kelvin.registers.set_context_run(at, words),
                Kind::Single => self.kelvin.registers.set(at, words[0]),
                Kind::Program => self.load_program(at, words),
                Kind::Constant => self.load_constants(at, words),
                Kind::Attribute => self.write_attributes(at, words, around.unknown),
                Kind::Elements16 | Kind::Elements32 | Kind::Inline => {
                    // These are sent to one method, over and over: take them in one piece.
                    let all = if header.increasing { words } else { rest };
                    used += all.len() - run;
                    if !self.collector.words(kind, all) {
                        around.unknown.argument(super::KELVIN, at, words[0], NOT_COLLECTED);
                    }
                }
                Kind::Action => {
                    if let Some(stop) = self.action(at, words[0], around) {
                        return Outcome { used, stop: Some(stop) };
                    }
                }
                Kind::Unknown => around.unknown.method(super::KELVIN, at, words[0]),
            }
        }
        Outcome { used, stop: None }
    }

    /// Parameters of software methods.
    pub(super) fn parameters(&self) -> [u32; 2] {
        PARAMETERS.map(|method| self.kelvin.registers.get(method))
    }

    /// Sets one of them.
    pub(super) fn set_parameter(&mut self, index: usize, value: u32) {
        self.kelvin.registers.set(PARAMETERS[index], value);
    }

    /// The display has shown a picture.
    pub(super) fn vertical_blank(&mut self) {
        self.flip.read = self.flip.read.wrapping_add(1) % self.flip.modulo.max(1);
    }

    /// Whether a flip waits for the display.
    pub(super) fn flip_waits(&self) -> bool {
        self.flip.modulo > 1 && self.flip.read == self.flip.write
    }

    /// Words of the program window: four are an instruction, and the slot goes on behind the fourth.
    fn load_program(&mut self, at: u16, words: &[u32]) {
        let first = (at - method::SET_TRANSFORM_PROGRAM) / 4;
        for (i, &word) in words.iter().enumerate() {
            let component = (usize::from(first) + i) % 4;
            self.kelvin.registers.set_program(self.program_load as usize, component, word);
            self.program_load = self.program_load.saturating_add(u32::from(component == 3));
        }
    }

    /// The same for constants.
    fn load_constants(&mut self, at: u16, words: &[u32]) {
        let component = usize::from((at - method::SET_TRANSFORM_CONSTANT) / 4 % 4);
        self.kelvin.registers.set_constants(self.constant_load as usize, component, words);
        self.constant_load = self.constant_load.saturating_add(((component + words.len()) / 4) as u32);
    }

    /// Words of current attributes; the last word of a position inside of begin and end gives a vertex.
    fn write_attributes(&mut self, at: u16, words: &[u32], unknown: &mut Unknown) {
        let mut next = 0;
        while let Some(rest) = words.get(next..).filter(|rest| !rest.is_empty()) {
            let Some(form) = attributes::form_of(at + 4 * next as u16) else { return };
            let written = form.write(&mut self.kelvin.attributes[usize::from(form.slot)], rest);
            next += written;
            let emits = form.slot == 0 && usize::from(form.part) + written == usize::from(form.words);
            if emits && self.collector.begun() && !self.collector.vertex(&self.kelvin.attributes) {
                unknown.argument(
                    super::KELVIN,
                    at,
                    rest[0],
                    "is a vertex too many between begin and end; it is not drawn",
                );
            }
        }
    }

    fn bind(&mut self, at: u16, handle: u32, around: &mut Around<'_, '_>) {
        let found = around.handles.dma(handle);
        if found.is_none() && handle != 0 {
            around.unknown.handle(handle);
        }
        self.kelvin.registers.set(at, handle);
        if let Some(place) = self.dma_of(at)
            && *place != found
        {
            *place = found;
            self.kelvin.registers.tracker.changed(State::of(u32::from(at / 4)));
        }
    }

    fn dma_of(&mut self, at: u16) -> Option<&mut Option<DmaObject>> {
        let dma = &mut self.kelvin.dma;
        Some(match at {
            method::SET_CONTEXT_DMA_NOTIFIES => &mut dma.notifies,
            method::SET_CONTEXT_DMA_A => &mut dma.a,
            method::SET_CONTEXT_DMA_B => &mut dma.b,
            method::SET_CONTEXT_DMA_STATE => &mut dma.state,
            method::SET_CONTEXT_DMA_COLOR => &mut dma.color,
            method::SET_CONTEXT_DMA_ZETA => &mut dma.zeta,
            method::SET_CONTEXT_DMA_VERTEX_A => &mut dma.vertex_a,
            method::SET_CONTEXT_DMA_VERTEX_B => &mut dma.vertex_b,
            method::SET_CONTEXT_DMA_SEMAPHORE => &mut dma.semaphore,
            method::SET_CONTEXT_DMA_REPORT => &mut dma.report,
            _ => return None,
        })
    }
}

/// Where programs leave the parameters of software methods.
const PARAMETERS: [u16; 2] = [method::SET_ZSTENCIL_CLEAR_VALUE, method::SET_COLOR_CLEAR_VALUE];
