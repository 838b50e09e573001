//! Every PM4 packet with a public name: the one table. Lengths, field accessors and printing derive from its rows.
//!
//! Source: `docs/sources/gnm.md#packets` (PAL at commit 0423623, `si_ci_vi_merged_pm4_it_opcodes.h` and
//! `si_ci_vi_merged_pm4defs.h`, MIT); DMA_DATA, the LOAD packets, COND_WRITE and COPY_DW from Mesa 25.0.7, `src/amd/common/sid.h`
//! (MIT); SET_QUEUE_REG, GET_LOD_STATS and the last row as shadPS4 reads them. The names of fields are PAL's.

use crate::descriptors::Bits;
use std::fmt;

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// Type 0: `count` values for consecutive registers.
    Registers {
        /// Byte address of the first register.
        address: u32,
        /// Words that follow.
        count: u32,
    },
    /// Type 1, which this generation does not have.
    Reserved,
    /// Type 2: one word that does nothing.
    Filler,
    /// Type 3: a packet of the table.
    Packet {
        /// What it is.
        opcode: Opcode,
        /// Words that follow.
        count: u32,
        /// Bits 7 to 2, which only our own packets use.
        private: u8,
        /// Whether it is for compute shaders.
        compute: bool,
        /// Whether predication decides about it.
        predicated: bool,
    },
}

impl Header {
    /// Reads a header.
    #[must_use]
    #[inline]
    pub const fn decode(word: u32) -> Self {
        let count = (word >> 16 & 0x3FFF) + 1;
        match word >> 30 {
            0 => Self::Registers { address: (word & 0xFFFF) * 4, count },
            1 => Self::Reserved,
            2 => Self::Filler,
            _ => Self::Packet {
                opcode: Opcode((word >> 8) as u8),
                // A NOP of the largest count is a header alone.
                count: if word >> 8 & 0xFF == op::NOP.0 as u32 && count == 0x4000 { 0 } else { count },
                private: (word >> 2 & 0x3F) as u8,
                compute: word & 2 != 0,
                predicated: word & 1 != 0,
            },
        }
    }

    /// The header of a type 3 packet with `count` words behind it, 1 to 0x4000.
    #[must_use]
    pub const fn packet(opcode: Opcode, count: u32) -> u32 {
        3 << 30 | (count.wrapping_sub(1) & 0x3FFF) << 16 | (opcode.0 as u32) << 8
    }

    /// Words behind the header.
    #[must_use]
    #[inline]
    pub const fn count(self) -> u32 {
        match self {
            Self::Registers { count, .. } | Self::Packet { count, .. } => count,
            Self::Reserved | Self::Filler => 0,
        }
    }
}

/// In a header: the packet is for compute shaders.
pub const COMPUTE: u32 = 2;
/// In a header: predication decides about the packet.
pub const PREDICATE: u32 = 1;

/// The number of a packet.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opcode(
    /// Bits 15 to 8 of the header.
    pub u8,
);

impl Opcode {
    /// The row of the table.
    #[must_use]
    pub fn row(self) -> Option<&'static Packet> {
        PACKETS.iter().find(|row| row.opcode == self)
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "packet {:#04x}", self.0),
        }
    }
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number.
    pub opcode: Opcode,
    /// Its name.
    pub name: &'static str,
    /// Words behind the header at least.
    pub least: u32,
    /// Whether what comes behind the fields is data.
    pub data: bool,
    /// Why it is not carried out, where nothing could: it is told once and skipped.
    pub skipped: Option<&'static str>,
    /// Fields of the words behind the header.
    pub fields: &'static [Bits],
}

macro_rules! packets {
    ($( $opcode:literal $name:ident $least:literal $($data:ident)? $(= $skipped:literal)? {
        $( $field:ident $word:literal $low:literal $width:literal $($names:ident)? ),* $(,)?
    } )*) => {
        /// Numbers by name, and fields in a module of the same name.
        #[allow(missing_docs, non_snake_case, non_upper_case_globals, reason = "the names are the hardware's")]
        pub mod op {
            use super::Opcode;
            $( pub const $name: Opcode = Opcode($opcode); )*
            $( pub mod $name { $(
                pub const $field: $crate::descriptors::Bits = $crate::descriptors::Bits {
                    name: stringify!($field), word: $word, low: $low, width: $width, names: packets!(@names $($names)?),
                };
            )* } )*
        }

        /// The rows, in the order of their numbers.
        pub const PACKETS: &[Packet] = &[ $( Packet {
            opcode: Opcode($opcode),
            name: stringify!($name),
            least: $least,
            data: packets!(@data $($data)?),
            skipped: packets!(@skipped $($skipped)?),
            fields: &[ $( op::$name::$field ),* ],
        } ),* ];
    };
    (@names) => { None };
    (@names $names:ident) => { Some(&$crate::enums::$names) };
    (@skipped) => { None };
    (@skipped $why:literal) => { Some($why) };
    (@data) => { false };
    (@data data) => { true };
}

packets! {
    0x10 NOP 0 data {}
    0x11 SET_BASE 3 { baseIndex 0 0 4, addressLo 1 0 32, addressHi 2 0 16 }
    0x12 CLEAR_STATE 1 { command 0 0 4 }
    0x13 INDEX_BUFFER_SIZE 1 { numIndices 0 0 32 }
    0x15 DISPATCH_DIRECT 4 { dimX 0 0 32, dimY 1 0 32, dimZ 2 0 32, dispatchInitiator 3 0 32 }
    0x16 DISPATCH_INDIRECT 2 { dataOffset 0 0 32, dispatchInitiator 1 0 32 }
    0x1D ATOMIC_GDS 10 {
        atomOp 0 0 7, atomCmpSwap 0 16 1, atomComplete 0 17 1, atomRead 0 18 1, atomRdCntl 0 19 2, autoIncr 1 0 6,
        DMODE 1 8 1, atomBase 2 0 16, atomSize 3 0 16, atomOffset0 4 0 8, atomOffset1 4 16 8, atomDst 5 0 32,
        atomSrc0Lo 6 0 32, atomSrc0Hi 7 0 32, atomSrc1Lo 8 0 32, atomSrc1Hi 9 0 32,
    }
    0x1E ATOMIC 8 {
        atomOp 0 0 7, command 0 8 4, addressLo 1 0 32, addressHi 2 0 32, srcDataLo 3 0 32, srcDataHi 4 0 32,
        cmpDataLo 5 0 32, cmpDataHi 6 0 32, loopInterval 7 0 13,
    }
    0x1F OCCLUSION_QUERY 4 { startAddrLo 0 0 32, startAddrHi 1 0 16, queryAddrLo 2 0 32, queryAddrHi 3 0 16 }
    0x20 SET_PREDICATION 2 {
        startAddressLo 0 0 32, startAddrHi 1 0 8, predicationBoolean 1 8 1, hint 1 12 1, predOp 1 16 3,
        continueBit 1 31 1,
    }
    0x21 REG_RMW 3 { modAdrs 0 0 14, orMaskSrc 0 30 1, andMaskSrc 0 31 1, andMask 1 0 32, orMask 2 0 32 }
    0x22 COND_EXEC 3 { boolAddrLo 0 0 32, boolAddrHi32 1 0 32, control 2 28 4, execCount 3 0 14 }
    0x23 PRED_EXEC 1 { execCount 0 0 14, deviceSelect 0 24 8 }
    0x24 DRAW_INDIRECT 4 { dataOffset 0 0 32, baseVtxLoc 1 0 16, startInstLoc 2 0 16, drawInitiator 3 0 32 }
    0x25 DRAW_INDEX_INDIRECT 4 { dataOffset 0 0 32, baseVtxLoc 1 0 16, startInstLoc 2 0 16, drawInitiator 3 0 32 }
    0x26 INDEX_BASE 2 { addrLo 0 0 32, addrHi 1 0 16, baseSelect 1 30 2 }
    0x27 DRAW_INDEX_2 5 {
        maxSize 0 0 32, indexBaseLo 1 0 32, indexBaseHi 2 0 32, indexCount 3 0 32, drawInitiator 4 0 32,
    }
    0x28 CONTEXT_CONTROL 2 { loadControl 0 0 32, shadowEnable 1 0 32 }
    0x2A INDEX_TYPE 1 { indexType 0 0 2 INDEX_TYPE, swapMode 0 2 2 }
    0x2C DRAW_INDIRECT_MULTI 9 {
        dataOffset 0 0 32, baseVtxLoc 1 0 16, startInstLoc 2 0 16, drawIndexLoc 3 0 16, countIndirectEnable 3 30 1,
        drawIndexEnable 3 31 1, count 4 0 32, countAddrLo 5 0 32, countAddrHi 6 0 32, stride 7 0 32,
        drawInitiator 8 0 32,
    }
    0x2D DRAW_INDEX_AUTO 2 { indexCount 0 0 32, drawInitiator 1 0 32 }
    0x2F NUM_INSTANCES 1 { numInstances 0 0 32 }
    0x30 DRAW_INDEX_MULTI_AUTO 3 = "nothing public says which indices its primitives have" {
        primCount 0 0 32, drawInitiator 1 0 32, indexOffset 2 0 16, primType 2 16 5 DI_PRIM_TYPE, indexCount 2 21 11,
    }
    0x33 INDIRECT_BUFFER_CONST 3 {
        ibBaseLo 0 0 32, ibBaseHi 1 0 16, ibSize 2 0 20, chain 2 20 1, offLoadPolling 2 21 1, volatile 2 22 1,
        valid 2 23 1, vmid 2 24 4, cachePolicy 2 28 2,
    }
    0x34 STRMOUT_BUFFER_UPDATE 5 {
        storeBufferFilledSize 0 0 1, offsetSourceSelect 0 1 2, dataType 0 7 1, bufferSelect 0 8 2, dstAddressLo 1 0 32,
        dstAddressHi 2 0 16, bufferOffset 3 0 32, srcAddressHi 4 0 16,
    }
    0x35 DRAW_INDEX_OFFSET_2 4 { maxSize 0 0 32, indexOffset 1 0 32, indexCount 2 0 32, drawInitiator 3 0 32 }
    0x37 WRITE_DATA 3 data {
        dstSel 0 8 4, wrOneAddr 0 16 1, wrConfirm 0 20 1, atc 0 24 1, cachePolicy 0 25 2, volatile 0 27 1,
        engineSel 0 30 2, dstAddrLo 1 0 32, dstAddrHi 2 0 32,
    }
    0x38 DRAW_INDEX_INDIRECT_MULTI 9 {
        dataOffset 0 0 32, baseVtxLoc 1 0 16, startInstLoc 2 0 16, drawIndexLoc 3 0 16, countIndirectEnable 3 30 1,
        drawIndexEnable 3 31 1, count 4 0 32, countAddrLo 5 0 32, countAddrHi 6 0 32, stride 7 0 32,
        drawInitiator 8 0 32,
    }
    0x39 MEM_SEMAPHORE 2 {
        addrLo 0 0 32, addrHi 1 0 16, useMailbox 1 16 1, signalType 1 20 1, clientCode 1 24 2, semSel 1 29 3,
    }
    0x3B COPY_DW 5 {
        srcSel 0 0 1, dstSel 0 1 1, srcAddrLo 1 0 32, srcAddrHi 2 0 32, dstAddrLo 3 0 32, dstAddrHi 4 0 32,
    }
    0x3C WAIT_REG_MEM 6 {
        function 0 0 3, memSpace 0 4 2, operation 0 6 2, engine 0 8 2, atc 0 24 1, cachePolicy 0 25 2, volatile 0 27 1,
        pollAddressLo 1 0 32, pollAddressHi 2 0 32, reference 3 0 32, mask 4 0 32, pollInterval 5 0 32,
    }
    0x3F INDIRECT_BUFFER 3 {
        ibBaseLo 0 0 32, ibBaseHi 1 0 16, ibSize 2 0 20, chain 2 20 1, offLoadPolling 2 21 1, volatile 2 22 1,
        valid 2 23 1, vmid 2 24 4, cachePolicy 2 28 2,
    }
    0x40 COPY_DATA 5 {
        srcSel 0 0 4, dstSel 0 8 4, srcAtc 0 12 1, srcCachePolicy 0 13 2, srcVolatile 0 15 1, countSel 0 16 1,
        wrConfirm 0 20 1, dstAtc 0 24 1, dstCachePolicy 0 25 2, dstVolatile 0 27 1, engineSel 0 30 2,
        srcAddressLo 1 0 32, srcAddressHi 2 0 32, dstAddressLo 3 0 32, dstAddressHi 4 0 32,
    }
    0x41 CP_DMA 5 {
        srcAddrLo 0 0 32, srcAddrHi 1 0 16, dstSel 1 20 2, m2mOpt 1 24 1, engine 1 27 1, srcSel 1 29 2, cpSync 1 31 1,
        dstAddrLo 2 0 32, dstAddrHi 3 0 32, command 4 0 32,
    }
    0x42 PFP_SYNC_ME 1 { dummyData 0 0 32 }
    0x43 SURFACE_SYNC 4 { coherCntl 0 0 31, engine 0 31 1, cpCoherSize 1 0 32, cpCoherBase 2 0 32, pollInterval 3 0 32 }
    0x45 COND_WRITE 8 {
        function 0 0 3, pollSpace 0 4 1, writeSpace 0 8 1, pollAddressLo 1 0 32, pollAddressHi 2 0 32, reference 3 0 32,
        mask 4 0 32, writeAddressLo 5 0 32, writeAddressHi 6 0 32, writeData 7 0 32,
    }
    0x46 EVENT_WRITE 1 { eventType 0 0 6 EVENT_TYPE, eventIndex 0 8 4, addressLo 1 0 32, addressHi 2 0 16 }
    0x47 EVENT_WRITE_EOP 5 {
        eventType 0 0 6 EVENT_TYPE, eventIndex 0 8 4, tcl1VolActionEna 0 12 1, tcVolActionEna 0 13 1,
        tcWbActionEna 0 15 1, tcl1ActionEna 0 16 1, tcActionEna 0 17 1, atc 0 24 1, cachePolicy 0 25 2, volatile 0 27 1,
        addressLo 1 0 32, addressHi 2 0 16, intSel 2 24 2, dataSel 2 29 3, dataLo 3 0 32, dataHi 4 0 32,
    }
    0x48 EVENT_WRITE_EOS 4 {
        eventType 0 0 6 EVENT_TYPE, eventIndex 0 8 4, addressLo 1 0 32, addressHi 2 0 16, command 2 29 3,
        gdsIndex 3 0 16, size 3 16 16,
    }
    0x49 RELEASE_MEM 6 {
        eventType 0 0 6 EVENT_TYPE, eventIndex 0 8 4, tcl1VolActionEna 0 12 1, tcVolActionEna 0 13 1,
        tcWbActionEna 0 15 1, tcl1ActionEna 0 16 1, tcActionEna 0 17 1, cachePolicy 0 25 2, volatile 0 27 1,
        dstSel 1 16 2, intSel 1 24 3, dataSel 1 29 3, addressLo 2 0 32, addressHi 3 0 32, dataLo 4 0 32, dataHi 5 0 32,
    }
    0x4A PREAMBLE_CNTL 1 { command 0 28 4 }
    0x50 DMA_DATA 6 {
        engine 0 0 1, srcATC 0 12 1, srcCachePolicy 0 13 2, srcVolatile 0 15 1, dstSel 0 20 2, dstATC 0 24 1,
        dstCachePolicy 0 25 2, dstVolatile 0 27 1, srcSel 0 29 2, cpSync 0 31 1, srcAddrLo 1 0 32, srcAddrHi 2 0 32,
        dstAddrLo 3 0 32, dstAddrHi 4 0 32, byteCount 5 0 21, disWC 5 21 1, srcSwap 5 22 2, dstSwap 5 24 2, sas 5 26 1,
        das 5 27 1, saic 5 28 1, daic 5 29 1, rawWait 5 30 1,
    }
    0x51 CONTEXT_REG_RMW 3 { regOffset 0 0 16, mask 1 0 32, data 2 0 32 }
    0x58 ACQUIRE_MEM 6 {
        coherCntl 0 0 31, engine 0 31 1, coherSize 1 0 32, coherSizeHi 2 0 8, coherSizeHiRsvd 2 8 16,
        coherBaseLo 3 0 32, coherBaseHi 4 0 24, pollInterval 5 0 16,
    }
    0x59 REWIND 1 { offloadEnable 0 24 1, valid 0 31 1 }
    0x5E LOAD_UCONFIG_REG 4 data { addrLo 0 0 32, addrHi 1 0 32, regOffset 2 0 16, numDwords 3 0 14 }
    0x5F LOAD_SH_REG 4 data { addrLo 0 0 32, addrHi 1 0 32, regOffset 2 0 16, numDwords 3 0 14 }
    0x60 LOAD_CONFIG_REG 4 data { addrLo 0 0 32, addrHi 1 0 32, regOffset 2 0 16, numDwords 3 0 14 }
    0x61 LOAD_CONTEXT_REG 4 data { addrLo 0 0 32, addrHi 1 0 32, regOffset 2 0 16, numDwords 3 0 14 }
    0x68 SET_CONFIG_REG 1 data { regOffset 0 0 16, index 0 28 4 }
    0x69 SET_CONTEXT_REG 1 data { regOffset 0 0 16, index 0 28 4 }
    0x73 SET_CONTEXT_REG_INDIRECT 1 = "nothing public says where its registers are" { regOffset 0 0 16, index 0 28 4 }
    0x76 SET_SH_REG 1 data { regOffset 0 0 16, index 0 28 4 }
    0x77 SET_SH_REG_OFFSET 3 { regOffset 0 0 16, dwIbOffset 1 0 22, driverData 2 16 16 }
    0x78 SET_QUEUE_REG 1 data { regOffset 0 0 8, deferExec 0 15 1, vqid 0 16 10 }
    0x79 SET_UCONFIG_REG 1 data { regOffset 0 0 16, index 0 28 4 }
    0x7D SCRATCH_RAM_WRITE 1 data = "it is for the microcode's own memory, which there is not" {}
    0x7E SCRATCH_RAM_READ 1 data = "it is for the microcode's own memory, which there is not" {}
    0x80 LOAD_CONST_RAM 4 { addrLo 0 0 32, addrHi 1 0 32, numDwords 2 0 15, offset 3 0 16 }
    0x81 WRITE_CONST_RAM 1 data { offset 0 0 16 }
    0x83 DUMP_CONST_RAM 4 { offset 0 0 16, cachePolicy 0 25 2, numDwords 1 0 15, addrLo 2 0 32, addrHi 3 0 32 }
    0x84 INCREMENT_CE_COUNTER 1 { incCEcounter 0 0 1, incCScounter 0 1 1 }
    0x85 INCREMENT_DE_COUNTER 1 { dummyData 0 0 32 }
    0x86 WAIT_ON_CE_COUNTER 1 { control 0 0 1, forceSync 0 1 1, volatile 0 27 1 }
    0x87 WAIT_ON_DE_COUNTER 1 = "the generation before has it, and this one WAIT_ON_DE_COUNTER_DIFF" { dummyData 0 0 32 }
    0x88 WAIT_ON_DE_COUNTER_DIFF 1 { counterDiff 0 0 32 }
    0x8B SWITCH_BUFFER 1 { dummyData 0 0 32 }
    0x8E GET_LOD_STATS 1 data = "which levels were sampled is not counted" {}
    0x9D DRAW_INDEX_INDIRECT_COUNT_MULTI 9 {
        dataOffset 0 0 32, baseVtxLoc 1 0 16, startInstLoc 2 0 16, drawIndexLoc 3 0 16, countIndirectEnable 3 30 1,
        drawIndexEnable 3 31 1, count 4 0 32, countAddrLo 5 0 32, countAddrHi 6 0 32, stride 7 0 32,
        drawInitiator 8 0 32,
    }
}

/// The number of our own packets, which carry readable structures (`afterimage-gnm`'s driver writes them, its machine reads them).
/// The hardware's list ends at 0x9D on this generation, and what came later stays below 0xC0.
pub const PRIVATE: Opcode = Opcode(0xFC);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_no_packet_is_shorter_than_its_fields_need() {
        assert!(PACKETS.is_sorted_by(|a, b| a.opcode < b.opcode));
        assert!(PRIVATE.row().is_none());
        for row in PACKETS {
            let mut words = [0u32; 16];
            for field in row.fields {
                let bits = crate::field::mask(field.width) << field.low;
                assert_eq!(words[usize::from(field.word)] & bits, 0, "{} {}", row.name, field.name);
                words[usize::from(field.word)] |= bits;
            }
        }
    }

    #[test]
    fn headers_have_three_types() {
        assert_eq!(Header::decode(0x0001_00A0), Header::Registers { address: 0x280, count: 2 });
        assert_eq!(Header::decode(0x8000_0000), Header::Filler);
        assert_eq!(Header::decode(0x4000_0000), Header::Reserved);
        let header = Header::packet(op::DRAW_INDEX_2, 5) | PREDICATE;
        assert_eq!(header, 0xC004_2701);
        let Header::Packet { opcode, count, predicated, compute, .. } = Header::decode(header) else { panic!() };
        assert_eq!((opcode, count, predicated, compute), (op::DRAW_INDEX_2, 5, true, false));
        assert_eq!(Header::decode(0xFFFF_1000).count(), 0, "a NOP that is a header alone");
        assert_eq!(Header::decode(0xFFFF_6900).count(), 0x4000);
    }

    #[test]
    fn fields_are_those_of_the_facts() {
        let body = [0x0000_0013, 0x1000, 0, 7, 0xFF, 10];
        assert_eq!(op::WAIT_REG_MEM::function.of(&body), 3);
        assert_eq!(op::WAIT_REG_MEM::memSpace.of(&body), 1);
        assert_eq!(op::WAIT_REG_MEM::reference.of(&body), 7);
        assert_eq!(op::DMA_DATA.0, 0x50);
    }
}
