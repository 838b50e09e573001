//! Every register in one place.

use super::*;
use crate::handle::{BufferId, DeclarationId, ImageId, PixelShaderId, Surface, VertexShaderId};
use afterimage_d3d9_types::*;
use afterimage_state::{States, Tracked, TrackedArray, trace};

/// Sampler slots: 16 of the pixel stage, 4 of the vertex stage, the displacement sampler.
pub(crate) const SAMPLERS: usize = 21;
/// Vertex streams.
pub(crate) const STREAMS: usize = 16;
/// Colour targets.
pub(crate) const TARGETS: usize = 4;
/// User clip planes.
pub(crate) const CLIP_PLANES: usize = 6;

/// One vertex stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) buffer: Option<BufferId>,
    pub(crate) offset: u32,
    pub(crate) stride: u32,
}

/// What the user wants of filters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Filtering {
    /// Anisotropy of every linear filter; 0 leaves it to the program.
    pub(crate) anisotropy: u32,
    /// Added to the program's bias of mip levels.
    pub(crate) lod_bias: f32,
}

/// A value of type `T`.
type One<T> = Tracked<T, DeviceState>;
/// `N` of them.
type Many<T, const N: usize> = TrackedArray<T, DeviceState, N>;

/// The register file. Whatever draws depend on is written through [`Registers::tracker`].
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// What the next draw applies. Beside groups it knows slots: of samplers, textures and their texels, streams and texture
    /// matrices.
    pub(crate) tracker: DeviceTracker,
    pub(crate) render: States<RenderStates, DeviceState>,
    pub(crate) samplers: [States<SamplerStates, DeviceState>; SAMPLERS],
    pub(crate) stages: [States<StageStates, DeviceState>; 8],
    pub(crate) textures: Many<Option<ImageId>, SAMPLERS>,
    /// Kinds of the first textures as the key of the fixed pixel stage numbers them.
    pub(crate) texture_kinds: Many<u8, 8>,
    pub(crate) streams: Many<Stream, STREAMS>,
    /// As `SetStreamSourceFreq` takes them.
    pub(crate) frequencies: Many<u32, STREAMS>,
    pub(crate) indices: One<Option<BufferId>>,
    pub(crate) declaration: One<Option<DeclarationId>>,
    /// The code given to `SetFVF`, 0 where the declaration came from elsewhere.
    pub(crate) fvf: u32,
    pub(crate) vertex_shader: One<Option<VertexShaderId>>,
    /// A draw with the bound vertex shader has failed, since that needs software vertex processing.
    pub(crate) vertex_shader_failed: One<bool>,
    pub(crate) software_processing: One<bool>,
    pub(crate) pixel_shader: One<Option<PixelShaderId>>,
    pub(crate) has_pixel_shader: One<bool>,
    pub(crate) vertex_constants: ConstantsOf,
    pub(crate) pixel_constants: ConstantsOf,
    pub(crate) targets: Many<Option<Surface>, TARGETS>,
    pub(crate) depth: One<Option<Surface>>,
    pub(crate) viewport: One<D3DVIEWPORT9>,
    pub(crate) scissor: One<RECT>,
    pub(crate) transforms: Transforms,
    pub(crate) material: One<D3DMATERIAL9>,
    pub(crate) lights: Lights,
    /// As bits, so that no sign of a zero is lost.
    pub(crate) clip_planes: Many<[u32; 4], CLIP_PLANES>,
    pub(crate) npatch_segments: One<f32>,
    /// The program has turned AMD's alpha to coverage on.
    pub(crate) alpha_to_mask: One<bool>,
    pub(crate) filtering: One<Filtering>,
}

impl Registers {
    /// Those of a device with these `D3DCREATE_*` flags.
    pub(crate) fn of_device(behavior: u32) -> Self {
        use DeviceState as S;
        let mut tracker = DeviceTracker::new();
        let software = D3DCREATE_SOFTWARE_VERTEXPROCESSING | D3DCREATE_MIXED_VERTEXPROCESSING;
        Self {
            render: States::new(S::RENDER.only()),
            samplers: std::array::from_fn(|slot| States::new(S::SAMPLER.at(slot as u32))),
            stages: std::array::from_fn(|stage| StageStates::for_stage(stage as u32, &mut tracker)),
            textures: Many::new(S::TEXTURE, [None; SAMPLERS]),
            texture_kinds: Many::new(S::TEXTURE_KIND, [0; 8]),
            streams: Many::new(S::STREAM, [Stream::default(); STREAMS]),
            frequencies: Many::new(S::FREQUENCY, [1; STREAMS]),
            indices: One::new(S::INDICES.only(), None),
            declaration: One::new(S::DECLARATION.only(), None),
            fvf: 0,
            vertex_shader: One::new(S::VERTEX_SHADER.only(), None),
            vertex_shader_failed: One::new(S::VERTEX_SHADER_FAILED.only(), false),
            software_processing: One::new(S::SOFTWARE.only(), behavior & D3DCREATE_SOFTWARE_VERTEXPROCESSING != 0),
            pixel_shader: One::new(S::PIXEL_SHADER.only(), None),
            has_pixel_shader: One::new(S::HAS_PIXEL_SHADER.only(), false),
            // Vertex processing in software has more constants.
            vertex_constants: if behavior & software != 0 {
                ConstantsOf::software(S::VERTEX_CONSTANTS)
            } else {
                ConstantsOf::new(S::VERTEX_CONSTANTS, 256)
            },
            pixel_constants: ConstantsOf::new(S::PIXEL_CONSTANTS, 224),
            targets: Many::new(S::TARGET, [None; TARGETS]),
            depth: One::new(S::DEPTH.only(), None),
            viewport: One::new(S::VIEWPORT.only(), D3DVIEWPORT9 { MaxZ: 1.0, ..D3DVIEWPORT9::default() }),
            scissor: One::new(S::SCISSOR.only(), RECT::default()),
            transforms: Transforms::default(),
            material: One::new(S::MATERIAL.only(), D3DMATERIAL9::default()),
            lights: Lights::default(),
            clip_planes: Many::new(S::CLIP_PLANE, [[0; 4]; CLIP_PLANES]),
            npatch_segments: One::new(S::NPATCHES.only(), 0.0),
            alpha_to_mask: One::new(S::ALPHA_TO_MASK.only(), false),
            filtering: One::new(S::FILTERING.only(), Filtering::default()),
            tracker,
        }
    }

    /// Those of a device that was reset, which keeps what was no state of the program's.
    pub(crate) fn reset(&mut self, behavior: u32) -> Self {
        let fresh = Self::of_device(behavior);
        let mut old = std::mem::replace(self, fresh);
        std::mem::swap(&mut self.tracker, &mut old.tracker);
        self.tracker.mark_all();
        self.filtering = old.filtering;
        self.alpha_to_mask = old.alpha_to_mask;
        self.software_processing = old.software_processing;
        self.vertex_shader_failed = old.vertex_shader_failed;
        old
    }

    /// Nothing has arrived at the receiver: everything is sent again.
    pub(crate) fn invalidate(&mut self) {
        self.tracker.mark_all();
        self.transforms.touch_worlds();
        self.vertex_constants.invalidate();
        self.pixel_constants.invalidate();
    }

    /// Clip planes as the vertex stage compares with them: as the program gave them for its own shaders (clip space), and
    /// turned from world space into view space for the fixed stage.
    pub(crate) fn clip_planes_for(&self, fixed: bool) -> [[f32; 4]; CLIP_PLANES] {
        let planes = self.clip_planes.map(|plane| plane.map(f32::from_bits));
        if !fixed {
            return planes;
        }
        let to_world = inverse(self.transforms.view());
        // A plane is a column: p' = inverse(M) * p for row vectors v' = v * M.
        let turned = |plane: [f32; 4]| to_world.map(|row| (0..4).map(|k| row[k] * plane[k]).sum::<f32>());
        planes.map(turned)
    }

    /// The texture of a slot, to look at its texels, too.
    pub(crate) fn texture_with_texels(&self, slot: usize) -> Option<ImageId> {
        trace::read(DeviceState::TEXELS.at(slot as u32));
        self.textures[slot]
    }

    /// Marks the slots where an image is bound as a texture: it has new texels or another sampler class.
    pub(crate) fn touch_texture(&mut self, image: ImageId) {
        for (slot, bound) in (0..).zip(self.textures.all()) {
            if *bound == Some(image) {
                self.tracker.changed(DeviceState::TEXELS.at(slot));
            }
        }
    }

    /// Marks every texture.
    pub(crate) fn touch_textures(&mut self) {
        self.tracker.mark_instances(DeviceState::TEXTURE, u64::MAX);
        self.tracker.mark(Group::Textures);
    }

    /// The first stream's slot holds something else than the stream's buffer.
    #[inline]
    pub(crate) fn lose_first_stream(&mut self) {
        self.tracker.mark_instances(DeviceState::STREAM, 1);
        self.tracker.mark(Group::VertexBuffers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_state::Table;

    fn check<T: Table>(enumeration: &str, except: &[&str]) {
        let table = ENUMS.iter().find(|e| e.name == enumeration).unwrap();
        let items: Vec<_> = table.items.iter().filter(|item| !except.contains(&item.0)).copied().collect();
        let rows: Vec<_> = T::ROWS.iter().map(|row| (row.name, u32::from(row.number))).collect();
        let mut sorted = items;
        sorted.sort_by_key(|item| item.1);
        assert_eq!(rows, sorted);
    }

    #[test]
    fn what_nothing_reads_is_named_or_has_no_effect() {
        let unread: Vec<u32> =
            RenderStates::ROWS.iter().filter(|row| row.readers == 0).map(|row| row.number.into()).collect();
        let mut listed = [&UNDRAWN[..], &render_states::WITHOUT_EFFECT].concat();
        listed.sort_unstable();
        assert_eq!(unread, listed);
    }

    #[test]
    fn slots_fit_into_sets_of_instances() {
        for kind in [DeviceState::SAMPLER, DeviceState::TEXTURE, DeviceState::STREAM, DeviceState::TEXTURE_MATRIX] {
            assert!(kind.instances <= 64);
        }
    }

    #[test]
    fn the_tables_have_every_published_state() {
        check::<RenderStates>("D3DRENDERSTATETYPE", &["D3DRS_FORCE_DWORD"]);
        check::<SamplerStates>("D3DSAMPLERSTATETYPE", &["D3DSAMP_FORCE_DWORD"]);
        check::<StageStates>("D3DTEXTURESTAGESTATETYPE", &["D3DTSS_FORCE_DWORD"]);
    }
}
