//! Registers at the device's addresses (MMIO), as the processor sees them. Source: `docs/sources/nv2a.md#memory-and-objects`, and
//! the register names of XboxDev's `nv_regs.h`.

use super::instance;
use super::{Fault, Graphics, Interrupt, Machine, PushBuffer, Stop, Tiles};
use crate::memory::GuestMemory;
use rustc_hash::FxHashMap;

macro_rules! registers {
    ($( $(#[$doc:meta])* $offset:literal $name:ident; )*) => {
        /// Byte offsets of registers from the start of the device's addresses (0xFD000000 on the console).
        pub mod register {
            $( $(#[$doc])* pub const $name: u32 = $offset; )*
        }
    };
}

registers! {
    /// Which chip it is; read only.
    0x000000 PMC_BOOT_0;
    /// Which blocks have interrupts waiting; read only.
    0x000100 PMC_INTR_0;
    /// Bit 0: whether interrupts reach the processor.
    0x000140 PMC_INTR_EN_0;
    /// Interrupts of PFIFO; writing a bit acknowledges it.
    0x002100 PFIFO_INTR_0;
    /// Which of them are enabled.
    0x002140 PFIFO_INTR_EN_0;
    /// Where the table of handles is.
    0x002210 PFIFO_RAMHT;
    /// State of the pusher: errors in bits 31 to 29.
    0x003228 PFIFO_CACHE1_DMA_STATE;
    /// Instance of the push buffer's DMA object, in units of 16 bytes.
    0x00322C PFIFO_CACHE1_DMA_INSTANCE;
    /// PUT.
    0x003240 PFIFO_CACHE1_DMA_PUT;
    /// GET.
    0x003244 PFIFO_CACHE1_DMA_GET;
    /// What method 0x50 set last.
    0x003248 PFIFO_CACHE1_REF;
    /// Where a return goes; bit 0 inside of a call.
    0x00324C PFIFO_CACHE1_DMA_SUBROUTINE;
    /// Bit 0 and bit 4: which overlay buffer is shown.
    0x008700 PVIDEO_BUFFER;
    /// Writing bit 0 ends the overlay, until `PVIDEO_BUFFER` is written again.
    0x008704 PVIDEO_STOP;
    /// Physical address that the overlay's offset counts from; the second buffer's is 4 bytes behind, as of all below.
    0x008900 PVIDEO_BASE;
    /// Last byte of the overlay's memory.
    0x008908 PVIDEO_LIMIT;
    /// Contrast and brightness.
    0x008910 PVIDEO_LUMINANCE;
    /// Saturation and hue.
    0x008918 PVIDEO_CHROMINANCE;
    /// Offset of the overlay's first pixel.
    0x008920 PVIDEO_OFFSET;
    /// Width and height of the overlay's image.
    0x008928 PVIDEO_SIZE_IN;
    /// First column and line, in sixteenths and eighths.
    0x008930 PVIDEO_POINT_IN;
    /// Columns of the image per column of the screen, 20 bits of fraction.
    0x008938 PVIDEO_DS_DX;
    /// Lines of the image per line of the screen, 20 bits of fraction.
    0x008940 PVIDEO_DT_DY;
    /// Where the overlay is on the screen.
    0x008948 PVIDEO_POINT_OUT;
    /// Width and height on the screen.
    0x008950 PVIDEO_SIZE_OUT;
    /// Pitch, format and whether a colour key decides.
    0x008958 PVIDEO_FORMAT;
    /// Colour of the picture where the overlay shows.
    0x008B00 PVIDEO_COLOR_KEY;
    /// Nanoseconds, bits 31 to 5.
    0x009400 PTIMER_TIME_0;
    /// Nanoseconds, the higher word.
    0x009410 PTIMER_TIME_1;
    /// First of eight tiled regions of 16 bytes each: address and enable, limit, pitch.
    0x100240 PFB_TILE;
    /// Interrupts of PGRAPH; writing a bit acknowledges it.
    0x400100 PGRAPH_INTR;
    /// What PGRAPH's interrupt is about.
    0x400108 PGRAPH_NSOURCE;
    /// Which of PGRAPH's interrupts are enabled.
    0x400140 PGRAPH_INTR_EN;
    /// Class of the object that methods came to last, in bits 7 to 0. Without a class its methods do nothing, until another
    /// object's come or the class is written again.
    0x40014C PGRAPH_CTX_SWITCH1;
    /// Method and subchannel of the word that raised an interrupt.
    0x400704 PGRAPH_TRAPPED_ADDR;
    /// Its argument.
    0x400708 PGRAPH_TRAPPED_DATA_LOW;
    /// `SET_COLOR_CLEAR_VALUE`, second parameter of software methods.
    0x40186C PGRAPH_COLORCLEARVALUE;
    /// `SET_ZSTENCIL_CLEAR_VALUE`, first parameter of software methods.
    0x401A88 PGRAPH_ZSTENCILCLEARVALUE;
    /// Interrupts of PCRTC: bit 0 is the vertical blank.
    0x600100 PCRTC_INTR_0;
    /// Which of them are enabled.
    0x600140 PCRTC_INTR_EN_0;
    /// Physical address of the picture that is shown.
    0x600800 PCRTC_START;
    /// Instance memory, 1 MiB.
    0x700000 PRAMIN;
    /// Doorbells, 64 KiB for each channel.
    0x800000 USER;
    /// PUT of channel 0.
    0x800040 USER_DMA_PUT;
    /// GET of channel 0.
    0x800044 USER_DMA_GET;
    /// What method 0x50 set last.
    0x800048 USER_REF;
}

/// Interrupt bits of PGRAPH.
mod intr {
    pub(super) const NOTIFY: u32 = 1 << 0;
    pub(super) const ERROR: u32 = 1 << 20;
}

/// Interrupt bit of PFIFO for an error of the pusher.
const DMA_PUSHER: u32 = 1 << 12;

/// Registers that only keep what is written to them.
#[derive(Debug, Default)]
pub(super) struct Registers {
    words: FxHashMap<u32, u32>,
    vertical_blank: bool,
}

impl Registers {
    /// What was written last; 0 at first.
    pub(super) fn get(&self, offset: u32) -> u32 {
        self.words.get(&offset).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, offset: u32, value: u32) {
        self.words.insert(offset, value);
    }

    pub(super) fn vertical_blank(&mut self) {
        self.vertical_blank = true;
    }

    /// The pusher stands on a word that it cannot follow.
    pub(super) fn pusher_error(&mut self, fault: Fault) {
        let error = match fault {
            Fault::NestedCall => 1,
            Fault::ReturnWithoutCall => 3,
            Fault::Reserved => 4,
            Fault::Unmapped => 6,
            // The hardware goes on for ever.
            Fault::TooManyWords(_) | Fault::EndlessJumps(_) => return,
        };
        self.set(register::PFIFO_CACHE1_DMA_STATE, error << 29);
        self.set(register::PFIFO_INTR_0, self.get(register::PFIFO_INTR_0) | DMA_PUSHER);
    }
}

/// Bytes of the device's addresses.
const DEVICE: u32 = 0x0100_0000;
/// What `PMC_BOOT_0` of the console's chip says.
const NV2A: u32 = 0x02A0_00A2;

impl Machine {
    /// Reads a register. Those that are not known read as last written, and as 0 before.
    #[must_use]
    pub fn read_register(&self, offset: u32) -> u32 {
        use register::*;
        let offset = (offset % DEVICE) & !3;
        match offset {
            PMC_BOOT_0 => NV2A,
            PMC_INTR_0 => self.waiting(),
            PFIFO_RAMHT => self.ramht,
            PFIFO_CACHE1_DMA_PUT | USER_DMA_PUT => self.pusher.put,
            PFIFO_CACHE1_DMA_GET | USER_DMA_GET => self.pusher.get,
            USER_REF => self.registers.get(PFIFO_CACHE1_REF),
            PFIFO_CACHE1_DMA_SUBROUTINE => self.pusher.subroutine.map_or(0, |back| back | 1),
            PTIMER_TIME_0 => self.kelvin.time as u32 & !31,
            PTIMER_TIME_1 => (self.kelvin.time >> 32) as u32,
            PGRAPH_INTR => match self.interrupt {
                None => 0,
                Some(Interrupt::Software { .. }) => intr::ERROR,
                Some(Interrupt::Notify { .. }) => intr::NOTIFY,
            },
            // Bit 0, a notification, is what both are about.
            PGRAPH_NSOURCE => self.interrupt.is_some().into(),
            PGRAPH_CTX_SWITCH1 => self.class().into(),
            PGRAPH_TRAPPED_ADDR => match self.interrupt {
                Some(Interrupt::Software { subchannel, .. }) => u32::from(subchannel) << 16 | 0x100,
                Some(Interrupt::Notify { subchannel }) => u32::from(subchannel) << 16 | 0x104,
                None => 0,
            },
            PGRAPH_TRAPPED_DATA_LOW => match self.stopped() {
                Some(Stop::Interrupt(Interrupt::Software { code, .. })) => code,
                _ => 0,
            },
            PGRAPH_ZSTENCILCLEARVALUE => self.kelvin.parameters()[0],
            PGRAPH_COLORCLEARVALUE => self.kelvin.parameters()[1],
            PCRTC_INTR_0 => self.registers.vertical_blank.into(),
            PRAMIN..USER => self.instance.get(offset - PRAMIN),
            _ if Tiles::REGISTERS.contains(&offset) => self.tiles.get(offset),
            _ => self.registers.get(offset),
        }
    }

    /// Which blocks have interrupts that are enabled.
    fn waiting(&self) -> u32 {
        use register::*;
        let pfifo = self.read_register(PFIFO_INTR_0) & self.registers.get(PFIFO_INTR_EN_0) != 0;
        let pgraph = self.read_register(PGRAPH_INTR) & self.registers.get(PGRAPH_INTR_EN) != 0;
        let pcrtc = self.read_register(PCRTC_INTR_0) & self.registers.get(PCRTC_INTR_EN_0) != 0;
        u32::from(pfifo) << 8 | u32::from(pgraph) << 12 | u32::from(pcrtc) << 24
    }

    /// Writes a register. Nothing runs because of it: after the doorbell, [`Machine::run`] does.
    ///
    /// Memory and graphics are needed where a tiled region changes, since what is in it reads differently then.
    pub fn write_register(
        &mut self,
        memory: &mut dyn GuestMemory,
        graphics: &mut dyn Graphics,
        offset: u32,
        value: u32,
    ) {
        use register::*;
        let offset = (offset % DEVICE) & !3;
        match offset {
            PFIFO_RAMHT => self.ramht = value,
            PFIFO_CACHE1_DMA_PUT | USER_DMA_PUT => self.set_put(value),
            PFIFO_CACHE1_DMA_GET | USER_DMA_GET => self.pusher.get = value & !3,
            PFIFO_CACHE1_DMA_SUBROUTINE => self.pusher.subroutine = (value & 1 != 0).then_some(value & !3),
            PFIFO_CACHE1_DMA_INSTANCE => {
                self.registers.set(offset, value);
                self.find_push_buffer();
            }
            PGRAPH_INTR if value & self.read_register(offset) != 0 => self.acknowledge(),
            PGRAPH_INTR => {}
            PGRAPH_CTX_SWITCH1 => {
                self.without_class = value & 0xFF == 0;
                if !self.without_class && value & 0xFF != self.class().into() {
                    tracing::warn!("PGRAPH_CTX_SWITCH1 is {value:#x}: the object stays of class {:#x}", self.class());
                }
            }
            PGRAPH_ZSTENCILCLEARVALUE | PGRAPH_COLORCLEARVALUE => {
                self.kelvin.set_parameter(usize::from(offset == PGRAPH_COLORCLEARVALUE), value);
            }
            PVIDEO_STOP if value & 1 != 0 => self.registers.set(PVIDEO_BUFFER, 0),
            PFIFO_INTR_0 => self.registers.set(offset, self.registers.get(offset) & !value),
            PCRTC_INTR_0 => self.registers.vertical_blank &= value & 1 == 0,
            PRAMIN..USER => {
                self.instance.set(offset - PRAMIN, value);
                let object = (self.registers.get(PFIFO_CACHE1_DMA_INSTANCE) & 0xFFFF) * 16;
                if (object..object + 12).contains(&(offset - PRAMIN)) {
                    self.find_push_buffer();
                }
            }
            _ if Tiles::REGISTERS.contains(&offset) => self.tiles.set(offset, value, memory, graphics),
            _ => self.registers.set(offset, value),
        }
    }

    /// Looks up where the push buffer's memory is.
    fn find_push_buffer(&mut self) {
        let address = instance::Address(self.registers.get(register::PFIFO_CACHE1_DMA_INSTANCE) as u16);
        if let Some(dma) = self.instance.dma(address) {
            self.push_buffer = PushBuffer { address: dma.address, limit: dma.limit.into() };
        }
    }
}
