//! Pipeline statistics, as far as commands say what draws and dispatches are made of: nobody is asked.

use super::archive::kept;
use afterimage_gnm_types::{Registers, reg, value::*};

/// Numbers of the counts, as `SAMPLE_PIPELINESTAT` writes them. Source: Mesa's RADV, the order of its queries' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// Primitives that come to the clipper. Where a stage makes them, only the GPU knows how many.
    ClipperInvocations = 2,
    /// Each vertex as often as it is named; the hardware does some only once.
    VertexInvocations = 3,
    /// Primitives of draws without tessellation, as often as geometry programs run for each.
    GeometryInvocations = 4,
    Primitives = 6,
    Vertices = 7,
    Patches = 8,
    ComputeInvocations = 10,
}

/// How many counts there are; those that [`Count`] does not name stay 0.
pub(super) const COUNTS: usize = 11;

/// The counts since the machine began, and whether they go on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    counts: [u64; COUNTS],
    /// Between `PIPELINESTAT_START` and `PIPELINESTAT_STOP`.
    pub(super) running: bool,
}

kept!(Statistics { counts, running });

impl Statistics {
    fn add(&mut self, what: Count, number: u64) {
        let count = &mut self.counts[what as usize];
        *count = count.wrapping_add(number);
    }

    /// A draw of so many vertices and instances.
    pub(super) fn draw(&mut self, registers: &Registers, vertices: u32, instances: u32) {
        if !self.running {
            return;
        }
        let all = |each: u32| u64::from(each) * u64::from(instances);
        self.add(Count::Vertices, all(vertices));
        self.add(Count::VertexInvocations, all(vertices));
        let kind = registers.field(reg::VGT_PRIMITIVE_TYPE::PRIM_TYPE);
        let corners = registers.field(reg::VGT_LS_HS_CONFIG::HS_NUM_INPUT_CP);
        let count = primitives(kind, vertices, corners);
        self.add(Count::Primitives, all(count));
        if kind == DI_PT_PATCH {
            self.add(Count::Patches, all(count));
        }
        use reg::{VGT_GS_INSTANCE_CNT as I, VGT_SHADER_STAGES_EN as S};
        let stages = registers.get(reg::VGT_SHADER_STAGES_EN);
        let runs = registers.get(reg::VGT_GS_INSTANCE_CNT);
        match (S::HS_EN.is_set(stages), S::GS_EN.is_set(stages)) {
            (true, _) => {}
            (false, true) => {
                let runs = if I::ENABLE.is_set(runs) { I::CNT.of(runs).max(1) } else { 1 };
                self.add(Count::GeometryInvocations, all(count) * u64::from(runs));
            }
            (false, false) => self.add(Count::ClipperInvocations, all(count)),
        }
    }

    /// A dispatch of so many lanes on a queue with these registers.
    pub(super) fn dispatch(&mut self, registers: &Registers, lanes: u64) {
        if self.running || registers.is_set(reg::COMPUTE_PIPELINESTAT_ENABLE::PIPELINESTAT_ENABLE) {
            self.add(Count::ComputeInvocations, lanes);
        }
    }

    /// The counts as they are written.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        self.counts.iter().flat_map(|count| count.to_le_bytes()).collect()
    }
}

/// Primitives of so many vertices, none of which restarts a strip; patches have so many corners.
fn primitives(kind: u32, vertices: u32, corners: u32) -> u32 {
    let strip = |first: u32, step: u32| if vertices < first { 0 } else { (vertices - first) / step + 1 };
    match kind {
        DI_PT_POINTLIST => vertices,
        DI_PT_LINELIST => vertices / 2,
        DI_PT_LINESTRIP => strip(2, 1),
        DI_PT_LINELOOP if vertices < 2 => 0,
        DI_PT_LINELOOP => vertices,
        DI_PT_TRILIST | DI_PT_RECTLIST | DI_PT_TRI_WITH_WFLAGS => vertices / 3,
        DI_PT_TRIFAN | DI_PT_TRISTRIP => strip(3, 1),
        DI_PT_LINELIST_ADJ | DI_PT_QUADLIST => vertices / 4,
        DI_PT_LINESTRIP_ADJ => strip(4, 1),
        DI_PT_TRILIST_ADJ => vertices / 6,
        DI_PT_TRISTRIP_ADJ => strip(6, 2),
        DI_PT_QUADSTRIP => strip(4, 2),
        DI_PT_POLYGON => u32::from(vertices >= 3),
        DI_PT_PATCH => vertices / corners.max(1),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_come_to_the_clipper_or_to_geometry_programs() {
        let mut registers = Registers::new();
        let mut statistics = Statistics { running: true, ..Statistics::default() };
        registers.set(reg::VGT_PRIMITIVE_TYPE, DI_PT_TRISTRIP);
        statistics.draw(&registers, 7, 3);
        assert_eq!(statistics.counts, [0, 0, 15, 21, 0, 0, 15, 21, 0, 0, 0]);
        use reg::{VGT_GS_INSTANCE_CNT as I, VGT_SHADER_STAGES_EN as S};
        registers.set(reg::VGT_SHADER_STAGES_EN, S::ES_EN.bits(2) | S::GS_EN.bits(1));
        statistics.draw(&registers, 4, 1);
        assert_eq!(statistics.counts, [0, 0, 15, 25, 2, 0, 17, 25, 0, 0, 0]);
        registers.set(reg::VGT_GS_INSTANCE_CNT, I::ENABLE.bits(1) | I::CNT.bits(5));
        statistics.draw(&registers, 3, 1);
        assert_eq!(statistics.counts, [0, 0, 15, 28, 7, 0, 18, 28, 0, 0, 0]);
        registers.set(reg::VGT_SHADER_STAGES_EN, S::LS_EN.bits(1) | S::HS_EN.bits(1));
        statistics.draw(&registers, 3, 1);
        assert_eq!(statistics.counts[2..5], [15, 31, 7]);
    }

    #[test]
    fn vertices_make_primitives() {
        let cases = [
            (DI_PT_POINTLIST, 5, 5),
            (DI_PT_LINELIST, 5, 2),
            (DI_PT_LINESTRIP, 5, 4),
            (DI_PT_LINESTRIP, 1, 0),
            (DI_PT_LINELOOP, 5, 5),
            (DI_PT_LINELOOP, 1, 0),
            (DI_PT_TRILIST, 8, 2),
            (DI_PT_TRIFAN, 5, 3),
            (DI_PT_TRISTRIP, 2, 0),
            (DI_PT_QUADSTRIP, 7, 2),
            (DI_PT_TRISTRIP_ADJ, 8, 2),
            (DI_PT_POLYGON, 9, 1),
            (DI_PT_PATCH, 10, 3),
            (DI_PT_NONE, 10, 0),
        ];
        for (kind, vertices, expected) in cases {
            assert_eq!(primitives(kind, vertices, 3), expected, "{vertices} vertices of kind {kind}");
        }
    }
}
