//! Events: what happens at the end of the pipe, and what is counted.

use super::fault::FaultKind;
use super::{Exec, long};
use afterimage_gnm_types::{op, reg, value};

/// Render backends, each of which counts samples.
const BACKENDS: u64 = 8;
/// In a count: it has been written.
const WRITTEN: u64 = 1 << 63;

/// Whether an event flushes a cache that holds what shaders or targets wrote.
fn flushes(event: u32) -> bool {
    matches!(
        event,
        value::CACHE_FLUSH_TS
            | value::CACHE_FLUSH
            | value::CS_PARTIAL_FLUSH
            | value::VS_PARTIAL_FLUSH
            | value::PS_PARTIAL_FLUSH
            | value::CACHE_FLUSH_AND_INV_TS_EVENT
            | value::CACHE_FLUSH_AND_INV_EVENT
            | value::SO_VGTSTREAMOUT_FLUSH
            | value::BOTTOM_OF_PIPE_TS
            | value::FLUSH_SX_TS
            | value::DB_CACHE_FLUSH_AND_INV
            | value::FLUSH_AND_INV_DB_DATA_TS
            | value::FLUSH_AND_INV_DB_META
            | value::FLUSH_AND_INV_CB_DATA_TS
            | value::FLUSH_AND_INV_CB_META
            | value::FLUSH_AND_INV_CB_PIXEL_DATA
            | value::CS_DONE
            | value::PS_DONE
    )
}

impl Exec<'_, '_> {
    fn event(&mut self, event: u32) {
        match event {
            _ if flushes(event) => self.bus.graphics.flush(&mut self.context.registers, self.bus.memory),
            value::END_OF_PIPE_INCR_DE => self.shared.constants.count_draw(),
            value::VGT_STREAMOUT_RESET => (0..4).for_each(|buffer| self.bus.graphics.set_stream_out_offset(buffer, 0)),
            value::PIPELINESTAT_START => self.shared.statistics.running = true,
            value::PIPELINESTAT_STOP => self.shared.statistics.running = false,
            value::PERFCOUNTER_START
            | value::PERFCOUNTER_STOP
            | value::PERFCOUNTER_SAMPLE
            | value::SAMPLE_STREAMOUTSTATS
            | value::SAMPLE_STREAMOUTSTATS1
            | value::SAMPLE_STREAMOUTSTATS2
            | value::SAMPLE_STREAMOUTSTATS3 => {
                self.shared.reports.event(event, "it counts nothing here, and what it would write stays as it is");
            }
            _ => {}
        }
    }

    /// `EVENT_WRITE`: an event, and the counts of occlusion queries.
    pub(super) fn event_write(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        let event = op::EVENT_WRITE::eventType.of(body);
        let counts = matches!(event, value::ZPASS_DONE | value::PIXEL_PIPE_STAT_DUMP | value::SAMPLE_PIPELINESTAT);
        if !counts {
            self.event(event);
            return Ok(());
        }
        if body.len() < 3 {
            return Err(FaultKind::Short { got: body.len() as u32, least: 3 });
        }
        let address = long(body, 1) & 0xFFFF_FFFF_FFF8;
        if event == value::SAMPLE_PIPELINESTAT {
            self.shared.reports.event(event, "clipping, pixels, geometry and domain shaders count nothing");
            let counts = self.shared.statistics.to_bytes();
            return Ok(self.bus.write(address, &counts)?);
        }
        let passed = self.bus.graphics.passed_samples() & !WRITTEN;
        // Begin and end of each backend lie next to each other; the first has counted everything.
        for backend in 0..BACKENDS {
            let count = if backend == 0 { passed } else { 0 };
            self.bus.write(address + 16 * backend, &(count | WRITTEN).to_le_bytes())?;
        }
        Ok(())
    }

    /// Samples between pairs of counts, one pair for each backend; those that were not written count nothing.
    pub(super) fn samples_between(&mut self, address: u64) -> Result<u64, FaultKind> {
        let mut counts = [0u64; 2 * BACKENDS as usize];
        self.bus.read(address, bytemuck::cast_slice_mut(&mut counts))?;
        let counts = counts.map(u64::from_le);
        let pairs = counts.as_chunks::<2>().0.iter().filter(|pair| pair[0] & pair[1] & WRITTEN != 0);
        Ok(pairs.fold(0u64, |sum, [begin, end]| sum.wrapping_add(end.wrapping_sub(*begin))) & !WRITTEN)
    }

    /// `OCCLUSION_QUERY`: the samples between pairs of counts are added to a number in memory.
    pub(super) fn occlusion_query(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        let counts = long(body, 0) & 0xFFFF_FFFF_FFF0;
        let sum = long(body, 2) & 0xFFFF_FFFF_FFFC;
        let passed = self.samples_between(counts)?;
        let sum_before = self.bus.long(sum)?;
        Ok(self.bus.write(sum, &sum_before.wrapping_add(passed).to_le_bytes())?)
    }

    /// `EVENT_WRITE_EOP`: when everything before is done, data is written and the processor told.
    pub(super) fn event_write_eop(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::EVENT_WRITE_EOP as packet;
        self.event(packet::eventType.of(body));
        let address = u64::from(body[1]) | u64::from(packet::addressHi.of(body)) << 32;
        self.end_of_pipe(address, packet::dataSel.of(body), long(body, 3), packet::intSel.of(body))
    }

    /// `RELEASE_MEM`: the same of compute rings.
    pub(super) fn release_mem(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::RELEASE_MEM as packet;
        self.event(packet::eventType.of(body));
        let select = packet::dataSel.of(body);
        if select == 5 {
            // Data of GDS: index and count in words.
            let bytes = self.read_gds(4 * u64::from(body[4] & 0xFFFF), 4 * u64::from(body[4] >> 16))?;
            self.bus.write(long(body, 2) & !3, &bytes)?;
            return self.end_of_pipe(0, 0, 0, packet::intSel.of(body));
        }
        self.end_of_pipe(long(body, 2), select, long(body, 4), packet::intSel.of(body))
    }

    fn end_of_pipe(&mut self, address: u64, select: u32, data: u64, interrupt: u32) -> Result<(), FaultKind> {
        let written = match select {
            0 => Ok(()),
            1 => self.bus.write(address & !3, &(data as u32).to_le_bytes()),
            2 => self.bus.write(address & !7, &data.to_le_bytes()),
            // The clock, and a performance counter that counts the same.
            3 | 4 => self.bus.write(address & !7, &self.shared.time.to_le_bytes()),
            other => return Err(FaultKind::Value { field: "dataSel", value: other.into() }),
        };
        if interrupt != 0 {
            self.bus.graphics.interrupt(self.queue);
        }
        Ok(written?)
    }

    /// `EVENT_WRITE_EOS`: when shaders are done, data is written.
    pub(super) fn event_write_eos(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::EVENT_WRITE_EOS as packet;
        self.event(packet::eventType.of(body));
        let address = (u64::from(body[1]) | u64::from(packet::addressHi.of(body)) << 32) & !3;
        match packet::command.of(body) {
            // An append count is a word of GDS, too.
            0 | 1 => {
                let words = u64::from(packet::size.of(body)).max(1);
                let bytes = self.read_gds(4 * u64::from(packet::gdsIndex.of(body)), 4 * words)?;
                self.bus.write(address, &bytes)?;
            }
            2 => self.bus.write_words(address, &body[3..4])?,
            other => return Err(FaultKind::Value { field: "command", value: other.into() }),
        }
        Ok(())
    }

    /// `STRMOUT_BUFFER_UPDATE`: where stream-out goes on, and where it is.
    pub(super) fn stream_out(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::STRMOUT_BUFFER_UPDATE as packet;
        let buffer = packet::bufferSelect.of(body);
        // Offsets are in words, unless the packet says bytes.
        let unit = if packet::dataType.of(body) != 0 { 1 } else { 4 };
        let filled = reg::VGT_STRMOUT_BUFFER_FILLED_SIZE_0 + 4 * buffer;
        if packet::storeBufferFilledSize.of(body) != 0 {
            let size = self.bus.graphics.stream_out_offset(buffer) / unit;
            self.context.registers.set(filled, size);
            self.bus.write_words(long(body, 1) & 0xFFFF_FFFF_FFFF, &[size])?;
        }
        let offset = match packet::offsetSourceSelect.of(body) {
            0 => body[3].saturating_mul(4),
            1 => self.context.registers.get(filled).saturating_mul(unit),
            2 => self.bus.word(long(body, 3) & 0xFFFF_FFFF_FFFF)?.saturating_mul(unit),
            _ => return Ok(()),
        };
        self.bus.graphics.set_stream_out_offset(buffer, offset);
        Ok(())
    }
}
