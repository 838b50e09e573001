//! What goes wrong in command buffers, and what is merely not known.

use super::Queue;
use crate::memory::Unmapped;
use afterimage_gnm_types::Opcode;
use rustc_hash::FxHashSet;

/// What a submission may do before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Words of command buffers, and words of memory that packets move, for each command of a ring. A draw counts as 64.
    pub words: u64,
    /// Command buffers that are entered for each command of a ring.
    pub jumps: u32,
    /// Command buffers that may be inside of each other.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { words: 1 << 27, jumps: 1 << 14, depth: 8 }
    }
}

/// Something that could not be done. The packet was skipped, or the command buffer left, and the rest went on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{queue}, {} at {address:#x}: {kind}", Named(*packet))]
pub struct Fault {
    /// The queue.
    pub queue: Queue,
    /// Guest address of the packet; of the graphics ring itself, the offset in it.
    pub address: u64,
    /// Which packet, where it is one.
    pub packet: Option<Opcode>,
    /// What is wrong.
    pub kind: FaultKind,
}

struct Named(Option<Opcode>);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(opcode) => opcode.fmt(f),
            None => f.write_str("packet"),
        }
    }
}

/// What is wrong with a packet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// It needs memory that is not there. It was skipped.
    #[error("{0}")]
    Unmapped(#[from] Unmapped),
    /// The command buffer ends inside of it. The rest of the buffer was left.
    #[error("it has {wanted} words, and {left} are left of the command buffer")]
    Truncated {
        /// Words that its header asks for, with the header.
        wanted: u32,
        /// Words that there are.
        left: u32,
    },
    /// It is shorter than its fields. It was skipped.
    #[error("it has {got} words behind the header, and its fields need {least}")]
    Short {
        /// Words there are.
        got: u32,
        /// Words there must be.
        least: u32,
    },
    /// Packets of type 1, which there are not. The rest of the buffer was left.
    #[error("its header {0:#010x} is of type 1, which there is not")]
    Reserved(u32),
    /// Command buffers inside of command buffers: mostly one that calls itself. It was skipped.
    #[error("the command buffer at {target:#x} would be the {depth}th inside of another; does it call itself?")]
    Depth {
        /// The command buffer that it calls.
        target: u64,
        /// How many there would be.
        depth: usize,
    },
    /// Too many command buffers were entered: mostly one that jumps into itself. The submission was left.
    #[error("{jumps} command buffers were entered and the next is at {target:#x}; does it jump into itself?")]
    EndlessJumps {
        /// The command buffer that it jumps to.
        target: u64,
        /// How many were entered.
        jumps: u32,
    },
    /// More words were followed than a submission may have. The submission was left.
    #[error("more than {0} words were followed; does the command buffer jump into itself?")]
    TooManyWords(u64),
    /// It waits for something that nobody will do. The wait was skipped.
    #[error("{0}, and nothing is left that could change it")]
    NeverTrue(String),
    /// A number in it is not one that it takes. It was skipped.
    #[error("{field} is {value:#x}, which it does not take")]
    Value {
        /// The field.
        field: &'static str,
        /// What it holds.
        value: u64,
    },
    /// One of our own packets that there is not, or of another size. It was skipped.
    #[error("there is no private packet {operation:#04x} of {words} words")]
    Private {
        /// Which.
        operation: u8,
        /// Words behind the header.
        words: u32,
    },
}

/// Faults that are kept for [`super::Machine::take_faults`] at most.
const KEPT: usize = 256;

/// Faults and what was said about unknown things.
#[derive(Debug, Default)]
pub(super) struct Reports {
    faults: Vec<Fault>,
    reported: FxHashSet<Reported>,
}

/// What was said once, and is not said again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reported {
    Opcode(Opcode),
    Register(u32),
    Event(u32),
    Other(&'static str, u32),
    Fault(std::mem::Discriminant<FaultKind>, Option<Opcode>),
}

impl Reports {
    /// Different things that are said; a guest can think of more.
    const LIMIT: usize = 1024;

    #[cold]
    pub(super) fn fault(&mut self, fault: Fault) {
        if self.first(Reported::Fault(std::mem::discriminant(&fault.kind), fault.packet)) {
            tracing::warn!("{fault}");
        }
        if self.faults.len() < KEPT {
            self.faults.push(fault);
        }
    }

    pub(super) fn take(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.faults)
    }

    fn first(&mut self, what: Reported) -> bool {
        self.reported.len() < Self::LIMIT && self.reported.insert(what)
    }

    /// A packet that is skipped.
    #[cold]
    pub(super) fn opcode(&mut self, queue: Queue, opcode: Opcode, address: u64) {
        if self.first(Reported::Opcode(opcode)) {
            match opcode.row().map(|row| (row.name, row.skipped.unwrap_or("it is not known"))) {
                Some((name, why)) => tracing::warn!("{queue}: {name} at {address:#x} is not carried out: {why}"),
                None => tracing::warn!("{queue}: there is no packet {:#04x} that is known, at {address:#x}", opcode.0),
            }
        }
    }

    /// Whether a packet was skipped.
    #[cfg(test)]
    pub(super) fn skipped(&self, opcode: Opcode) -> bool {
        self.reported.contains(&Reported::Opcode(opcode))
    }

    /// A register without a name.
    #[cold]
    pub(super) fn register(&mut self, register: u32, value: u32) {
        if self.first(Reported::Register(register)) {
            tracing::warn!("no register is known at {register:#07x} (value {value:#010x})");
        }
    }

    /// An event that does nothing here, or not all.
    #[cold]
    pub(super) fn event(&mut self, event: u32, what: &'static str) {
        if self.first(Reported::Event(event)) {
            let name = afterimage_gnm_types::enums::EVENT_TYPE.of(event).unwrap_or("event");
            tracing::warn!("{name} ({event}): {what}");
        }
    }

    /// Something else, of which `what` is the number.
    #[cold]
    pub(super) fn other(&mut self, kind: &'static str, what: u32) {
        if self.first(Reported::Other(kind, what)) {
            tracing::warn!("{kind} {what:#x} is not known, and is ignored");
        }
    }
}
