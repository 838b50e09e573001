//! Every register in one place.

use super::*;
use crate::handle::{BufferId, DeclarationId, ImageId, PixelShaderId, Surface, VertexShaderId};
use afterimage_d3d9_types::*;
use afterimage_state::{Dirty, old::States};

/// Sampler slots: 16 of the pixel stage, 4 of the vertex stage, the displacement sampler.
pub(crate) const SAMPLERS: usize = 21;
/// Vertex streams.
pub(crate) const STREAMS: usize = 16;
/// Colour targets.
pub(crate) const TARGETS: usize = 4;
/// User clip planes.
pub(crate) const CLIP_PLANES: usize = 6;

/// One vertex stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) buffer: Option<BufferId>,
    pub(crate) offset: u32,
    pub(crate) stride: u32,
    /// As `SetStreamSourceFreq` takes it.
    pub(crate) frequency: u32,
}

impl Default for Stream {
    fn default() -> Self {
        Self { buffer: None, offset: 0, stride: 0, frequency: 1 }
    }
}

/// The register file.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// Groups that the next draw applies.
    pub(crate) dirty: Dirty<Group>,
    pub(crate) render: States<RenderStates>,
    pub(crate) samplers: [States<SamplerStates>; SAMPLERS],
    /// Bit per sampler slot whose states changed.
    pub(crate) dirty_samplers: u32,
    pub(crate) stages: [States<StageStates>; 8],
    pub(crate) textures: [Option<ImageId>; SAMPLERS],
    /// Bit per sampler slot whose texture changed or has new texels.
    pub(crate) dirty_textures: u32,
    pub(crate) streams: [Stream; STREAMS],
    /// Bit per stream whose buffer, offset or stride changed.
    pub(crate) dirty_streams: u32,
    pub(crate) indices: Option<BufferId>,
    pub(crate) declaration: Option<DeclarationId>,
    /// The code given to `SetFVF`, 0 where the declaration came from elsewhere.
    pub(crate) fvf: u32,
    pub(crate) vertex_shader: Option<VertexShaderId>,
    pub(crate) pixel_shader: Option<PixelShaderId>,
    pub(crate) vertex_constants: ConstantsOf,
    pub(crate) pixel_constants: ConstantsOf,
    pub(crate) targets: [Option<Surface>; TARGETS],
    pub(crate) depth: Option<Surface>,
    pub(crate) viewport: D3DVIEWPORT9,
    pub(crate) scissor: RECT,
    pub(crate) transforms: Transforms,
    pub(crate) material: D3DMATERIAL9,
    pub(crate) lights: Lights,
    pub(crate) clip_planes: [[f32; 4]; CLIP_PLANES],
    pub(crate) npatch_segments: f32,
    /// [`FixedParts`] that are stale.
    pub(crate) fixed_parts: u32,
}

impl Default for Registers {
    fn default() -> Self {
        Self {
            dirty: Dirty::all(),
            render: States::new(),
            samplers: std::array::from_fn(|_| States::new()),
            dirty_samplers: u32::MAX,
            stages: std::array::from_fn(|stage| StageStates::for_stage(stage as u32)),
            textures: [None; SAMPLERS],
            dirty_textures: u32::MAX,
            streams: [Stream::default(); STREAMS],
            dirty_streams: u32::MAX,
            indices: None,
            declaration: None,
            fvf: 0,
            vertex_shader: None,
            pixel_shader: None,
            vertex_constants: ConstantsOf::new(256),
            pixel_constants: ConstantsOf::new(224),
            targets: [None; TARGETS],
            depth: None,
            viewport: D3DVIEWPORT9 { MaxZ: 1.0, ..D3DVIEWPORT9::default() },
            scissor: RECT::default(),
            transforms: Transforms::default(),
            material: D3DMATERIAL9::default(),
            lights: Lights::default(),
            clip_planes: [[0.0; 4]; CLIP_PLANES],
            npatch_segments: 0.0,
            fixed_parts: FixedParts::ALL,
        }
    }
}

impl Registers {
    /// Those of a device with these `D3DCREATE_*` flags: vertex processing in software has more constants.
    pub(crate) fn of_device(behavior: u32) -> Self {
        let software = D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING;
        let mut registers = Self::default();
        if behavior & software != 0 {
            registers.vertex_constants = ConstantsOf::software();
        }
        registers
    }

    /// Nothing has arrived at the receiver: everything is sent again.
    pub(crate) fn invalidate(&mut self) {
        self.dirty = Dirty::all();
        self.dirty_samplers = u32::MAX;
        self.dirty_textures = u32::MAX;
        self.dirty_streams = u32::MAX;
        self.fixed_parts = FixedParts::ALL;
        self.transforms.touch_worlds();
        self.vertex_constants.invalidate();
        self.pixel_constants.invalidate();
    }

    /// Clip planes as the vertex stage compares with them: as the program gave them for its own shaders (clip space), and
    /// turned from world space into view space for the fixed stage.
    pub(crate) fn clip_planes_for(&self, fixed: bool) -> [[f32; 4]; CLIP_PLANES] {
        if !fixed {
            return self.clip_planes;
        }
        let to_world = inverse(self.transforms.view());
        // A plane is a column: p' = inverse(M) * p for row vectors v' = v * M.
        let turned = |plane: [f32; 4]| to_world.map(|row| (0..4).map(|k| row[k] * plane[k]).sum::<f32>());
        self.clip_planes.map(turned)
    }

    /// Marks the slots where an image is bound as a texture: it has new texels or another sampler class.
    pub(crate) fn touch_texture(&mut self, image: ImageId) {
        for (slot, bound) in self.textures.iter().enumerate() {
            if *bound == Some(image) {
                self.dirty_textures |= 1 << slot;
                self.dirty.mark(Group::Textures);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_state::old::Table;

    fn check<T: Table>(enumeration: &str, except: &[&str]) {
        let table = ENUMS.iter().find(|e| e.name == enumeration).unwrap();
        let items: Vec<_> = table.items.iter().filter(|item| !except.contains(&item.0)).copied().collect();
        let rows: Vec<_> = T::ROWS.iter().map(|row| (row.name, u32::from(row.number))).collect();
        let mut sorted = items;
        sorted.sort_by_key(|item| item.1);
        assert_eq!(rows, sorted);
    }

    #[test]
    fn the_tables_have_every_published_state() {
        check::<RenderStates>("D3DRENDERSTATETYPE", &["D3DRS_FORCE_DWORD"]);
        check::<SamplerStates>("D3DSAMPLERSTATETYPE", &["D3DSAMP_FORCE_DWORD"]);
        check::<StageStates>("D3DTEXTURESTAGESTATETYPE", &["D3DTSS_FORCE_DWORD"]);
    }
}
