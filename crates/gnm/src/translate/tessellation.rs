//! Tessellation, by the hardware's data flow.
//!
//! A local program runs for each control point of each patch, and leaves it in the data share; a hull program runs for each control
//! point that it puts out, which it leaves in off-chip memory or the share, and its factors in the ring of factors. Both are
//! dispatches here with a group for each patch, between which the share is a buffer of the host's. The factors are read back, the
//! [tessellator](super::tessellate) makes points of them, and the domain program, which the hardware knows as the vertex shader, is
//! drawn for these.
//!
//! Off-chip memory and the ring of factors are the guest's, and have room for some thread groups only: draws are done in parts of
//! as many.

use super::Translator;
use super::front::{Front, Patches, serve};
use super::own::Use;
use super::plan::DrawError;
use super::primitives::Primitive;
use super::shaders::{self, HULL, LOCAL};
use super::tessellate::{Domain, Mesh, Output, Partitioning};
use crate::machine;
use crate::memory::GuestMemory;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::DomainPoint;
use afterimage_stream::PortError;
use afterimage_stream::packets::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most patches of a draw, of all instances.
const MOST_PATCHES: u64 = 1 << 20;
/// Most groups of a dispatch.
const MOST_GROUPS: u32 = 65_535;
/// Indices after which what there is is drawn.
const ENOUGH: usize = 1 << 20;
/// Most indices of a draw.
const MOST_MADE: usize = 1 << 28;
/// Most bytes of the data share's windows.
const MOST_SHARED: u32 = 64 << 20;
/// Meshes that are kept.
const MOST_MESHES: usize = 256;

/// What the console's system says where a program does not: where the ring of factors lies, as the library tells programs too, its
/// bytes, and off-chip buffers.
const RING_ADDRESS: u64 = 0xF_F000_0000;
const RING_BYTES: u32 = 0x2_0000;
const OFF_CHIP_BUFFERS: u32 = 256;

/// The mesh of factors, which are compared by their bits; none where the patch is taken away.
type Meshes = FxHashMap<(Domain, Partitioning, Output, [u32; 6]), Option<Arc<Mesh>>>;

/// Meshes that the tessellator made.
#[derive(Debug, Default)]
pub(super) struct Tessellation {
    meshes: Meshes,
}

impl Tessellation {
    fn mesh(&mut self, setup: &Setup, factors: [f32; 6]) -> Option<Arc<Mesh>> {
        let Setup { domain, partitioning, output, .. } = *setup;
        if self.meshes.len() >= MOST_MESHES {
            self.meshes.clear();
        }
        let make = || Mesh::new(domain, partitioning, output, &factors).map(Arc::new);
        self.meshes.entry((domain, partitioning, output, factors.map(f32::to_bits))).or_insert_with(make).clone()
    }
}

/// What the registers say.
#[derive(Clone, Copy, Debug)]
struct Setup {
    domain: Domain,
    partitioning: Partitioning,
    output: Output,
    /// Control points of a patch.
    corners: u32,
    /// Patches of a thread group.
    patches: u32,
    /// Thread groups that there is room for at a time.
    groups: u32,
    /// Bytes of a thread group: of the data share, in off-chip memory, in the ring of factors, and of these in front of factors.
    share: u32,
    off_chip: u32,
    ring: u32,
    control: u32,
    /// Where the ring is.
    ring_address: u64,
    /// Range of factors.
    levels: [f32; 2],
}

impl Setup {
    fn new(registers: &Registers) -> Result<Self, String> {
        use reg::{VGT_HS_OFFCHIP_PARAM as O, VGT_LS_HS_CONFIG as C, VGT_TF_PARAM as P};
        let wrong = |field: &str, number: u32| format!("VGT_TF_PARAM.{field} is {number}, which has no meaning");
        let [kind, partitioning, topology] =
            [P::TYPE, P::PARTITIONING, P::TOPOLOGY].map(|field| registers.field(field));
        let domain = Domain::of(kind).ok_or_else(|| wrong("TYPE", kind))?;
        let [corners, patches, out] =
            [C::HS_NUM_INPUT_CP, C::NUM_PATCHES, C::HS_NUM_OUTPUT_CP].map(|f| registers.field(f));
        if corners == 0 || patches == 0 || out == 0 {
            return Err(format!("VGT_LS_HS_CONFIG has {patches} patches of {corners} and {out} control points"));
        }
        let dynamic = registers.is_set(reg::VGT_SHADER_STAGES_EN::DYNAMIC_HS);
        let control = if dynamic { 4 } else { 0 };
        let ring = control + patches * 4 * domain.factors() as u32;
        let or = |value: u32, other: u32| if value == 0 { other } else { value };
        let ring_bytes = or(4 * registers.field(reg::VGT_TF_RING_SIZE::SIZE), RING_BYTES);
        let buffers = or(registers.field(O::OFFCHIP_BUFFERING), OFF_CHIP_BUFFERS);
        let share = 512 * registers.field(reg::SPI_SHADER_PGM_RSRC2_LS::LDS_SIZE);
        let room = [ring_bytes / ring, buffers, MOST_GROUPS / patches, MOST_SHARED / share.max(1)];
        let address = u64::from(registers.get(reg::VGT_TF_MEMORY_BASE)) << 8;
        let most = registers.float(reg::VGT_HOS_MAX_TESS_LEVEL);
        Ok(Self {
            domain,
            partitioning: Partitioning::of(partitioning).ok_or_else(|| wrong("PARTITIONING", partitioning))?,
            output: Output::of(topology).ok_or_else(|| wrong("TOPOLOGY", topology))?,
            corners,
            patches,
            groups: room.into_iter().min().unwrap_or(1).max(1),
            share,
            off_chip: (8192 >> registers.field(O::OFFCHIP_GRANULARITY)) * 4,
            ring,
            control,
            ring_address: if address == 0 { RING_ADDRESS } else { address },
            levels: [registers.float(reg::VGT_HOS_MIN_TESS_LEVEL), if most > 0.0 { most } else { f32::INFINITY }],
        })
    }

    fn primitive(&self) -> Primitive {
        match self.output {
            Output::Points => Primitive::Points,
            _ if self.domain == Domain::Isolines => Primitive::Lines,
            _ => Primitive::Triangles,
        }
    }

    /// The factors of a patch in what the ring holds.
    fn factors(&self, ring: &[u8], patch: u32) -> [f32; 6] {
        let (group, relative) = (patch / self.patches, patch % self.patches);
        let count = self.domain.factors();
        let first = (group * self.ring + self.control) as usize + relative as usize * 4 * count;
        let mut factors = [0.0; 6];
        let words = ring.get(first..).unwrap_or_default().as_chunks::<4>().0;
        for (factor, word) in factors.iter_mut().zip(words).take(count) {
            *factor = f32::from_le_bytes(*word);
            // What takes a patch away goes on doing that.
            if *factor > 0.0 {
                *factor = factor.min(self.levels[1]).max(self.levels[0]);
            }
        }
        factors
    }
}

impl Translator {
    /// Does a draw of patches.
    pub(super) fn draw_patches(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
    ) -> Result<(), DrawError> {
        let setup = Setup::new(registers).map_err(DrawError::Tessellation)?;
        let mut vertices = Vec::new();
        self.each_run(registers, memory, draw, |run| {
            vertices.extend_from_slice(&run[..run.len() / setup.corners as usize * setup.corners as usize]);
        })?;
        let count = (vertices.len() / setup.corners as usize) as u32;
        if u64::from(count) * u64::from(draw.instances) > MOST_PATCHES {
            let text = format!("{count} patches of {} instances are more than {MOST_PATCHES}", draw.instances);
            return Err(DrawError::Tessellation(text));
        }
        let step = setup.groups.saturating_mul(setup.patches);
        let mut made = 0;
        for instance in 0..draw.instances {
            for first in (0..count).step_by(step as usize) {
                let part = step.min(count - first);
                let Some(ring) = self.run_hull(registers, memory, &setup, &vertices, [instance, first, part])? else {
                    return Ok(());
                };
                self.draw_points(registers, memory, draw, &setup, &ring, [first, part], &mut made)?;
            }
        }
        Ok(())
    }

    /// Runs local and hull programs for some patches of an instance: what the ring of factors holds then. None if a program cannot
    /// be had, which was said.
    fn run_hull(
        &mut self,
        registers: &Registers,
        memory: &mut dyn GuestMemory,
        setup: &Setup,
        vertices: &[u32],
        [instance, first, count]: [u32; 3],
    ) -> Result<Option<Vec<u8>>, DrawError> {
        self.bound_samplers();
        let Some(mut local) = self.gather(&LOCAL, registers, memory) else { return Ok(None) };
        let Some(mut hull) = self.gather(&HULL, registers, memory) else { return Ok(None) };
        let corners = setup.corners as usize;
        let part = &vertices[first as usize * corners..(first + count) as usize * corners];
        let given = self.own_bytes(Use::Corners, bytemuck::cast_slice(part))?;
        let share = self.shared(setup)?;
        serve(&mut local, share, given);
        serve(&mut hull, share, StorageBinding::default());
        self.ready(&[&local, &hull], memory)?;
        let groups = [count, 1, 1];

        let seen = shaders::local_registers(registers);
        let id = self.shader(&LOCAL, seen, &local)?;
        self.bind(&LOCAL, &local, memory)?;
        self.put_draw(Stage::Compute, &[[registers.get(reg::VGT_INDX_OFFSET), instance, first, 0]]);
        self.port.push(&Dispatch { shader: id, groups });
        self.mark_written(&local, memory);

        let seen = shaders::hull_registers(registers);
        let id = self.shader(&HULL, seen, &hull)?;
        self.bind(&HULL, &hull, memory)?;
        self.put_draw(Stage::Compute, &[[setup.off_chip, setup.ring, first, 0]]);
        self.port.push(&Dispatch { shader: id, groups });
        self.mark_written(&hull, memory);

        let size = u64::from(count.div_ceil(setup.patches)) * u64::from(setup.ring);
        let range = setup.ring_address..setup.ring_address + size;
        self.store_buffers(memory, &range);
        let mut ring = vec![0; size as usize];
        if !super::read_mapped(memory, range.start, &mut ring) {
            self.once.warn(format!(
                "the ring of tessellation factors at {:#x} is not mapped: VGT_TF_MEMORY_BASE says where it is",
                range.start
            ));
        }
        Ok(Some(ring))
    }

    /// Tessellates patches, and draws what comes out.
    #[allow(clippy::too_many_arguments, reason = "a part of a draw")]
    fn draw_points(
        &mut self,
        registers: &mut Registers,
        memory: &mut dyn GuestMemory,
        draw: &machine::Draw,
        setup: &Setup,
        ring: &[u8],
        [first, count]: [u32; 2],
        made: &mut usize,
    ) -> Result<(), DrawError> {
        let (mut points, mut indices, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let primitive = setup.primitive();
        for patch in 0..count {
            if let Some(mesh) = self.tessellation.mesh(setup, setup.factors(ring, patch)) {
                let base = points.len() as u32;
                let patch_in_group = (patch % setup.patches) | ((patch / setup.patches) << 8);
                points.extend(mesh.points.iter().map(|&at| DomainPoint { at, patch_in_group, patch: first + patch }));
                indices.extend(mesh.indices.iter().map(|index| base + index));
                numbers.resize(indices.len() / primitive.corners(), first + patch);
            }
            if indices.is_empty() || indices.len() < ENOUGH && patch + 1 < count {
                continue;
            }
            *made += indices.len();
            if *made > MOST_MADE {
                return Err(DrawError::Indices(u32::try_from(*made).unwrap_or(u32::MAX)));
            }
            let given = self.own_bytes(Use::Points, bytemuck::cast_slice(&points))?;
            let share = self.shared(setup)?;
            let (indices, numbers) = (std::mem::take(&mut indices), std::mem::take(&mut numbers));
            points.clear();
            let patches = Patches { indices, numbers, off_chip: setup.off_chip, points: given, share };
            if registers.is_set(reg::VGT_SHADER_STAGES_EN::GS_EN) {
                self.draw_geometry(registers, memory, draw, primitive, Some(&patches))?;
            } else {
                self.draw_primitive(registers, memory, draw, primitive, Some(Front::Patches(patches)))?;
            }
        }
        Ok(())
    }

    /// The windows of the data share.
    fn shared(&mut self, setup: &Setup) -> Result<StorageBinding, PortError> {
        let size = u64::from(setup.groups) * u64::from(setup.share);
        if size == 0 {
            return Ok(StorageBinding::default());
        }
        let buffer = self.own_buffer(Use::Share, size)?;
        Ok(StorageBinding { buffer, word: setup.share, offset: 0, size })
    }
}
