//! Methods that do something.

use super::{Around, Engine, NOT_COLLECTED};
use crate::machine::{HEAVY, Interrupt, KELVIN, PrimitiveKind, Stop};
use afterimage_nv2a_types::method;
use afterimage_shader_nv2a::Program;

/// What `SET_BEGIN_END` says besides 0, in order from 1.
const KINDS: [PrimitiveKind; 10] = [
    PrimitiveKind::Points,
    PrimitiveKind::Lines,
    PrimitiveKind::LineLoop,
    PrimitiveKind::LineStrip,
    PrimitiveKind::Triangles,
    PrimitiveKind::TriangleStrip,
    PrimitiveKind::TriangleFan,
    PrimitiveKind::Quads,
    PrimitiveKind::QuadStrip,
    PrimitiveKind::Polygon,
];

/// How much an action counts against the limits besides its word.
fn weight(at: u16, word: u32) -> u64 {
    match at {
        method::DRAW_ARRAYS => u64::from(word >> 24),
        // A begin, and a word that only fills.
        method::SET_BEGIN_END if word != 0 => 0,
        method::NO_OPERATION if word == 0 => 0,
        method::SET_EDGE_FLAG
        | method::SET_FLIP_READ
        | method::SET_FLIP_WRITE
        | method::SET_FLIP_MODULO
        | method::FLIP_INCREMENT_WRITE
        | method::SET_TRANSFORM_PROGRAM_LOAD
        | method::SET_TRANSFORM_CONSTANT_LOAD
        | method::WAIT_FOR_IDLE
        | method::BREAK_VERTEX_BUFFER_CACHE
        | method::SET_BEGIN_PATCH0..=method::SET_END_TRANSITION => 0,
        _ => HEAVY,
    }
}

impl Engine {
    /// Executes a method of [`super::Kind::Action`].
    pub(super) fn action(&mut self, at: u16, word: u32, around: &mut Around<'_, '_>) -> Option<Stop> {
        around.bus.work += weight(at, word);
        match at {
            method::SET_BEGIN_END => self.begin_end(word, around),
            method::DRAW_ARRAYS => {
                if !self.collector.arrays(word & 0x00FF_FFFF, (word >> 24) + 1) {
                    around.unknown.argument(KELVIN, at, word, NOT_COLLECTED);
                }
            }
            method::SET_EDGE_FLAG => {
                let changes = self.kelvin.registers.is_set(at) != (word != 0);
                if changes && !self.collector.edge_flag(word != 0) {
                    around.unknown.argument(KELVIN, at, word, NOT_COLLECTED);
                }
                self.kelvin.registers.set(at, word);
            }
            method::CLEAR_SURFACE => around.bus.graphics.clear(&mut self.kelvin, around.bus.memory, word),
            method::NO_OPERATION if word != 0 => {
                let software =
                    Interrupt::Software { subchannel: around.subchannel, code: word, parameters: self.parameters() };
                return Some(Stop::Interrupt(software));
            }
            // Whatever came before is done when the next method runs; vertices are not cached.
            method::NO_OPERATION | method::WAIT_FOR_IDLE | method::BREAK_VERTEX_BUFFER_CACHE => {}
            method::NOTIFY => return self.notify(word, around),
            method::SET_FLIP_READ => self.flip.read = word,
            method::SET_FLIP_WRITE => self.flip.write = word,
            method::SET_FLIP_MODULO => self.flip.modulo = word,
            method::FLIP_INCREMENT_WRITE => {
                self.flip.write = self.flip.write.wrapping_add(1) % self.flip.modulo.max(1);
            }
            method::FLIP_STALL => {
                around.bus.graphics.flush();
                return self.flip_waits().then_some(Stop::FlipStall);
            }
            method::SET_TRANSFORM_PROGRAM_LOAD => {
                self.program_load = word;
                self.kelvin.registers.set(at, word);
            }
            method::SET_TRANSFORM_CONSTANT_LOAD => {
                self.constant_load = word;
                self.kelvin.registers.set(at, word);
            }
            method::CLEAR_REPORT_VALUE => around.bus.graphics.reset_pixel_count(),
            method::GET_REPORT => self.report(word, around),
            method::BACK_END_WRITE_SEMAPHORE_RELEASE => self.release_semaphore(word, around),
            method::LAUNCH_TRANSFORM_PROGRAM => self.launch(word, around),
            method::SET_BEGIN_PATCH0..=method::SET_END_TRANSITION => self.patches.execute(at, word, around),
            _ => self.bind(at, word, around),
        }
        None
    }

    fn begin_end(&mut self, word: u32, around: &mut Around<'_, '_>) {
        if word == 0 {
            if let Some(primitive) = self.collector.end() {
                around.bus.graphics.draw(&mut self.kelvin, around.bus.memory, &primitive);
                self.collector.recycle(primitive);
            }
        } else if let Some(&kind) = KINDS.get(word as usize - 1) {
            self.collector.begin(kind);
        } else {
            around.unknown.argument(KELVIN, method::SET_BEGIN_END, word, "is no primitive; nothing begins");
        }
    }

    /// Writes a notification: 64 bits of time, 32 of information, 32 of status 0. An argument of 1 asks for an interrupt.
    fn notify(&mut self, word: u32, around: &mut Around<'_, '_>) -> Option<Stop> {
        let mut notification = [0; 16];
        notification[..8].copy_from_slice(&self.time.to_le_bytes());
        if !around.bus.write_dma(self.kelvin.dma.notifies, 0, &notification) {
            around.unknown.argument(KELVIN, method::NOTIFY, word, "has no DMA object to write into");
        }
        (word == 1).then_some(Stop::Interrupt(Interrupt::Notify { subchannel: around.subchannel }))
    }

    /// `GET_REPORT`: 64 bits of time, the pixel count, a word of status 0.
    fn report(&mut self, word: u32, around: &mut Around<'_, '_>) {
        const PIXEL_COUNT: u32 = 1;
        let count = if word >> 24 == PIXEL_COUNT {
            around.bus.graphics.pixel_count()
        } else {
            around.unknown.argument(KELVIN, method::GET_REPORT, word, "is a report of an unknown type; it says 0");
            0
        };
        let mut report = [0; 16];
        report[..8].copy_from_slice(&self.time.to_le_bytes());
        report[8..12].copy_from_slice(&count.to_le_bytes());
        if !around.bus.write_dma(self.kelvin.dma.report, word & 0x00FF_FFFF, &report) {
            around.unknown.argument(KELVIN, method::GET_REPORT, word, "is outside of the DMA object for reports");
        }
    }

    fn release_semaphore(&mut self, word: u32, around: &mut Around<'_, '_>) {
        around.bus.graphics.flush();
        let offset = self.kelvin.registers.get(method::SET_SEMAPHORE_OFFSET);
        if !around.bus.write_dma(self.kelvin.dma.semaphore, offset, &word.to_le_bytes()) {
            let at = method::BACK_END_WRITE_SEMAPHORE_RELEASE;
            around.unknown.argument(KELVIN, at, word, "is outside of the DMA object for semaphores");
        }
    }

    /// Runs a state program: its attribute 0 is `SET_TRANSFORM_DATA`, and all that it leaves is what it writes into constants.
    fn launch(&mut self, word: u32, around: &mut Around<'_, '_>) {
        let registers = &mut self.kelvin.registers;
        let program = match Program::parse(&registers.program()[..], word as usize) {
            Ok(program) => program,
            Err(error) => {
                let text = format!("does not run: {error}");
                around.unknown.argument(KELVIN, method::LAUNCH_TRANSFORM_PROGRAM, word, &text);
                return;
            }
        };
        let mut inputs = self.kelvin.attributes;
        inputs[0] = registers.floats(method::SET_TRANSFORM_DATA);
        let writes = registers.is_set(method::SET_TRANSFORM_PROGRAM_CXT_WRITE_EN);
        let mut constants = Box::new(*registers.constants());
        afterimage_shader_nv2a::run(&program, &inputs, &mut constants, writes);
        registers.set_constants(0, 0, constants.as_flattened());
    }
}
