//! State blocks: a list of settings, each of which can be captured from the registers and applied again.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::machine::*;
use afterimage_d3d9_types::*;
use afterimage_state::Table;

/// One setting of a state block. Setters record these while a block is recorded.
#[derive(Clone, Debug)]
pub(crate) enum Setting {
    Render(D3DRENDERSTATETYPE, u32),
    /// Sampler number as the program gives it.
    Sampler(u32, D3DSAMPLERSTATETYPE, u32),
    Stage(u32, D3DTEXTURESTAGESTATETYPE, u32),
    Texture(u32, Option<ImageId>),
    Transform(D3DTRANSFORMSTATETYPE, Box<D3DMATRIX>),
    Viewport(D3DVIEWPORT9),
    Scissor(RECT),
    Material(Box<D3DMATERIAL9>),
    Light(u32, Box<D3DLIGHT9>),
    LightEnable(u32, bool),
    ClipPlane(u32, [f32; 4]),
    NPatch(f32),
    Declaration(Option<DeclarationId>),
    /// Stream, buffer, offset, stride.
    Stream(u32, Option<BufferId>, u32, u32),
    StreamFrequency(u32, u32),
    Indices(Option<BufferId>),
    VertexShader(Option<VertexShaderId>),
    PixelShader(Option<PixelShaderId>),
    VertexFloats(u32, Box<[[f32; 4]]>),
    VertexInts(u32, Box<[[i32; 4]]>),
    VertexBools(u32, Box<[BOOL]>),
    PixelFloats(u32, Box<[[f32; 4]]>),
    PixelInts(u32, Box<[[i32; 4]]>),
    PixelBools(u32, Box<[BOOL]>),
}

/// A state block.
#[derive(Debug)]
pub(crate) struct StateBlock {
    pub(crate) settings: Vec<Setting>,
    /// Made by `BeginStateBlock`. A predefined block keeps the stream offsets that it was made with.
    recorded: bool,
}

/// Render states of `D3DSBT_PIXELSTATE`, from the published documentation ("State Blocks Save and Restore State").
const PIXEL_RENDER_STATES: &[u32] = &[
    D3DRS_ZENABLE,
    D3DRS_FILLMODE,
    D3DRS_SHADEMODE,
    D3DRS_ZWRITEENABLE,
    D3DRS_ALPHATESTENABLE,
    D3DRS_LASTPIXEL,
    D3DRS_SRCBLEND,
    D3DRS_DESTBLEND,
    D3DRS_ZFUNC,
    D3DRS_ALPHAREF,
    D3DRS_ALPHAFUNC,
    D3DRS_DITHERENABLE,
    D3DRS_FOGSTART,
    D3DRS_FOGEND,
    D3DRS_FOGDENSITY,
    D3DRS_ALPHABLENDENABLE,
    D3DRS_DEPTHBIAS,
    D3DRS_STENCILENABLE,
    D3DRS_STENCILFAIL,
    D3DRS_STENCILZFAIL,
    D3DRS_STENCILPASS,
    D3DRS_STENCILFUNC,
    D3DRS_STENCILREF,
    D3DRS_STENCILMASK,
    D3DRS_STENCILWRITEMASK,
    D3DRS_TEXTUREFACTOR,
    D3DRS_WRAP0,
    D3DRS_WRAP1,
    D3DRS_WRAP2,
    D3DRS_WRAP3,
    D3DRS_WRAP4,
    D3DRS_WRAP5,
    D3DRS_WRAP6,
    D3DRS_WRAP7,
    D3DRS_COLORWRITEENABLE,
    D3DRS_BLENDOP,
    D3DRS_SCISSORTESTENABLE,
    D3DRS_SLOPESCALEDEPTHBIAS,
    D3DRS_ANTIALIASEDLINEENABLE,
    D3DRS_TWOSIDEDSTENCILMODE,
    D3DRS_CCW_STENCILFAIL,
    D3DRS_CCW_STENCILZFAIL,
    D3DRS_CCW_STENCILPASS,
    D3DRS_CCW_STENCILFUNC,
    D3DRS_COLORWRITEENABLE1,
    D3DRS_COLORWRITEENABLE2,
    D3DRS_COLORWRITEENABLE3,
    D3DRS_BLENDFACTOR,
    D3DRS_SRGBWRITEENABLE,
    D3DRS_WRAP8,
    D3DRS_WRAP9,
    D3DRS_WRAP10,
    D3DRS_WRAP11,
    D3DRS_WRAP12,
    D3DRS_WRAP13,
    D3DRS_WRAP14,
    D3DRS_WRAP15,
    D3DRS_SEPARATEALPHABLENDENABLE,
    D3DRS_SRCBLENDALPHA,
    D3DRS_DESTBLENDALPHA,
    D3DRS_BLENDOPALPHA,
];

/// Render states of `D3DSBT_VERTEXSTATE`, from the same place.
const VERTEX_RENDER_STATES: &[u32] = &[
    D3DRS_CULLMODE,
    D3DRS_FOGENABLE,
    D3DRS_FOGCOLOR,
    D3DRS_FOGTABLEMODE,
    D3DRS_FOGSTART,
    D3DRS_FOGEND,
    D3DRS_FOGDENSITY,
    D3DRS_RANGEFOGENABLE,
    D3DRS_AMBIENT,
    D3DRS_COLORVERTEX,
    D3DRS_FOGVERTEXMODE,
    D3DRS_CLIPPING,
    D3DRS_LIGHTING,
    D3DRS_LOCALVIEWER,
    D3DRS_EMISSIVEMATERIALSOURCE,
    D3DRS_AMBIENTMATERIALSOURCE,
    D3DRS_DIFFUSEMATERIALSOURCE,
    D3DRS_SPECULARMATERIALSOURCE,
    D3DRS_VERTEXBLEND,
    D3DRS_CLIPPLANEENABLE,
    D3DRS_POINTSIZE,
    D3DRS_POINTSIZE_MIN,
    D3DRS_POINTSPRITEENABLE,
    D3DRS_POINTSCALEENABLE,
    D3DRS_POINTSCALE_A,
    D3DRS_POINTSCALE_B,
    D3DRS_POINTSCALE_C,
    D3DRS_MULTISAMPLEANTIALIAS,
    D3DRS_MULTISAMPLEMASK,
    D3DRS_PATCHEDGESTYLE,
    D3DRS_POINTSIZE_MAX,
    D3DRS_INDEXEDVERTEXBLENDENABLE,
    D3DRS_TWEENFACTOR,
    D3DRS_POSITIONDEGREE,
    D3DRS_NORMALDEGREE,
    D3DRS_MINTESSELLATIONLEVEL,
    D3DRS_MAXTESSELLATIONLEVEL,
    D3DRS_ADAPTIVETESS_X,
    D3DRS_ADAPTIVETESS_Y,
    D3DRS_ADAPTIVETESS_Z,
    D3DRS_ADAPTIVETESS_W,
    D3DRS_ENABLEADAPTIVETESSELLATION,
    D3DRS_NORMALIZENORMALS,
    D3DRS_SPECULARENABLE,
    D3DRS_SHADEMODE,
];

/// Sampler states of `D3DSBT_VERTEXSTATE` and the texture stage states that both kinds share.
const VERTEX_SAMPLER_STATES: &[u32] = &[D3DSAMP_DMAPOFFSET];
const VERTEX_STAGE_STATES: &[u32] = &[D3DTSS_TEXCOORDINDEX, D3DTSS_TEXTURETRANSFORMFLAGS];

/// Sampler numbers as a program gives them.
fn samplers() -> impl Iterator<Item = u32> {
    (0..16).chain(256..261)
}

fn numbers<T: Table>() -> impl Iterator<Item = u32> {
    T::ROWS.iter().map(|row| u32::from(row.number))
}

fn floats(words: &[[u32; 4]]) -> Box<[[f32; 4]]> {
    words.iter().map(|word| word.map(f32::from_bits)).collect()
}

fn ints(words: &[[u32; 4]]) -> Box<[[i32; 4]]> {
    words.iter().map(|word| word.map(|w| w as i32)).collect()
}

fn bools(words: &[[u32; 4]]) -> Box<[BOOL]> {
    words.iter().map(|word| word[0] as BOOL).collect()
}

impl Setting {
    /// Takes the current value.
    fn capture(&mut self, device: &Device) {
        let registers = &device.registers;
        match self {
            Self::Render(state, value) => *value = registers.render.get(*state),
            Self::Sampler(sampler, state, value) => {
                if let Some(slot) = sampler_slot(*sampler) {
                    *value = registers.samplers[slot].get(*state);
                }
            }
            Self::Stage(stage, state, value) => {
                if let Some(states) = registers.stages.get(*stage as usize) {
                    *value = states.get(*state);
                }
            }
            Self::Texture(stage, texture) => {
                *texture = sampler_slot(*stage).and_then(|slot| registers.textures[slot]);
            }
            Self::Transform(state, matrix) => {
                if let Some(slot) = Transforms::slot(*state) {
                    matrix.m = *registers.transforms.get(slot);
                }
            }
            Self::Viewport(viewport) => *viewport = *registers.viewport,
            Self::Scissor(rect) => *rect = *registers.scissor,
            Self::Material(material) => **material = *registers.material,
            Self::Light(index, light) => {
                if let Some((current, _)) = registers.lights.get(*index) {
                    **light = *current;
                }
            }
            Self::LightEnable(index, on) => {
                *on = registers.lights.get(*index).is_some_and(|(_, on)| *on);
            }
            Self::ClipPlane(index, plane) => {
                if let Some(current) = registers.clip_planes.all().get(*index as usize) {
                    *plane = current.map(f32::from_bits);
                }
            }
            Self::NPatch(segments) => *segments = *registers.npatch_segments,
            Self::Declaration(declaration) => *declaration = *registers.declaration,
            Self::Stream(stream, buffer, offset, stride) => {
                if let Some(current) = registers.streams.all().get(*stream as usize) {
                    (*buffer, *offset, *stride) = (current.buffer, current.offset, current.stride);
                }
            }
            Self::StreamFrequency(stream, frequency) => {
                if let Some(current) = registers.frequencies.all().get(*stream as usize) {
                    *frequency = *current;
                }
            }
            Self::Indices(buffer) => *buffer = *registers.indices,
            Self::VertexShader(shader) => *shader = *registers.vertex_shader,
            Self::PixelShader(shader) => *shader = *registers.pixel_shader,
            Self::VertexFloats(first, values) => {
                recapture(registers.vertex_constants.file(File::Floats), *first, values, floats);
            }
            Self::VertexInts(first, values) => {
                recapture(registers.vertex_constants.file(File::Ints), *first, values, ints);
            }
            Self::VertexBools(first, values) => {
                recapture(registers.vertex_constants.file(File::Bools), *first, values, bools);
            }
            Self::PixelFloats(first, values) => {
                recapture(registers.pixel_constants.file(File::Floats), *first, values, floats);
            }
            Self::PixelInts(first, values) => {
                recapture(registers.pixel_constants.file(File::Ints), *first, values, ints);
            }
            Self::PixelBools(first, values) => {
                recapture(registers.pixel_constants.file(File::Bools), *first, values, bools);
            }
        }
    }

    fn apply(&self, device: &mut Device) -> Result<()> {
        match self {
            Self::Render(state, value) => device.set_render_state(*state, *value),
            Self::Sampler(sampler, state, value) => device.set_sampler_state(*sampler, *state, *value),
            Self::Stage(stage, state, value) => device.set_texture_stage_state(*stage, *state, *value),
            Self::Texture(stage, texture) => device.set_texture(*stage, *texture),
            Self::Transform(state, matrix) => device.set_transform(*state, matrix),
            Self::Viewport(viewport) => device.set_viewport(viewport),
            Self::Scissor(rect) => device.set_scissor_rect(rect),
            Self::Material(material) => device.set_material(material),
            Self::Light(index, light) => device.set_light(*index, light),
            Self::LightEnable(index, on) => device.enable_light(*index, *on),
            Self::ClipPlane(index, plane) => device.set_clip_plane(*index, plane),
            Self::NPatch(segments) => device.set_npatch_mode(*segments),
            // Applying "no declaration" leaves the current one, as Direct3D does.
            Self::Declaration(None) => Ok(()),
            Self::Declaration(declaration) => device.set_vertex_declaration(*declaration),
            Self::Stream(stream, buffer, offset, stride) => {
                device.set_stream_source(*stream, *buffer, *offset, *stride)
            }
            Self::StreamFrequency(stream, frequency) => device.set_stream_source_freq(*stream, *frequency),
            Self::Indices(buffer) => device.set_indices(*buffer),
            Self::VertexShader(shader) => device.set_vertex_shader(*shader),
            Self::PixelShader(shader) => device.set_pixel_shader(*shader),
            Self::VertexFloats(first, values) => device.set_vertex_shader_constant_f(*first, values),
            Self::VertexInts(first, values) => device.set_vertex_shader_constant_i(*first, values),
            Self::VertexBools(first, values) => device.set_vertex_shader_constant_b(*first, values),
            Self::PixelFloats(first, values) => device.set_pixel_shader_constant_f(*first, values),
            Self::PixelInts(first, values) => device.set_pixel_shader_constant_i(*first, values),
            Self::PixelBools(first, values) => device.set_pixel_shader_constant_b(*first, values),
        }
    }

    /// What it names.
    fn handle(&self) -> Option<Handle> {
        match *self {
            Self::Texture(_, id) => id.map(Handle::Image),
            Self::Declaration(id) => id.map(Handle::Declaration),
            Self::Stream(_, id, _, _) | Self::Indices(id) => id.map(Handle::Buffer),
            Self::VertexShader(id) => id.map(Handle::VertexShader),
            Self::PixelShader(id) => id.map(Handle::PixelShader),
            _ => None,
        }
    }
}

fn recapture<T>(constants: &Constants, first: u32, values: &mut Box<[T]>, read: impl Fn(&[[u32; 4]]) -> Box<[T]>) {
    if let Some(words) = constants.get(first as usize, values.len()) {
        *values = read(words);
    }
}

/// The settings of a predefined kind, without values.
fn settings(kind: D3DSTATEBLOCKTYPE, registers: &Registers) -> Vec<Setting> {
    let all = kind == D3DSBT_ALL;
    let (vertex, pixel) = (all || kind == D3DSBT_VERTEXSTATE, all || kind == D3DSBT_PIXELSTATE);
    let mut out = Vec::with_capacity(1024);
    let render = numbers::<RenderStates>().filter(|state| {
        all || vertex && VERTEX_RENDER_STATES.contains(state) || pixel && PIXEL_RENDER_STATES.contains(state)
    });
    out.extend(render.map(|state| Setting::Render(state, 0)));
    for sampler in samplers() {
        let states = numbers::<SamplerStates>().filter(|state| all || VERTEX_SAMPLER_STATES.contains(state) == vertex);
        out.extend(states.map(|state| Setting::Sampler(sampler, state, 0)));
    }
    for stage in 0..8 {
        let states = numbers::<StageStates>().filter(|state| pixel || VERTEX_STAGE_STATES.contains(state));
        out.extend(states.map(|state| Setting::Stage(stage, state, 0)));
    }
    if pixel {
        out.push(Setting::PixelShader(None));
        out.push(Setting::PixelFloats(0, vec![[0.0; 4]; 224].into()));
        out.push(Setting::PixelInts(0, vec![[0; 4]; 16].into()));
        out.push(Setting::PixelBools(0, vec![0; 16].into()));
    }
    if vertex {
        out.push(Setting::Declaration(None));
        out.push(Setting::NPatch(0.0));
        out.extend((0..STREAMS as u32).map(|stream| Setting::StreamFrequency(stream, 1)));
        for (index, light, on) in registers.lights.iter() {
            out.push(Setting::Light(index, Box::new(*light)));
            out.push(Setting::LightEnable(index, on));
        }
        out.push(Setting::VertexShader(None));
        out.push(Setting::VertexFloats(0, vec![[0.0; 4]; 256].into()));
        out.push(Setting::VertexInts(0, vec![[0; 4]; 16].into()));
        out.push(Setting::VertexBools(0, vec![0; 16].into()));
    }
    if all {
        out.extend(samplers().map(|sampler| Setting::Texture(sampler, None)));
        out.extend(Transforms::states().map(|state| Setting::Transform(state, Box::default())));
        out.extend((0..STREAMS as u32).map(|stream| Setting::Stream(stream, None, 0, 0)));
        out.push(Setting::Indices(None));
        out.push(Setting::Material(Box::default()));
        out.push(Setting::Viewport(D3DVIEWPORT9::default()));
        out.push(Setting::Scissor(RECT::default()));
        out.extend((0..CLIP_PLANES as u32).map(|plane| Setting::ClipPlane(plane, [0.0; 4])));
    }
    out
}

impl Device {
    /// Records a setting instead of doing it. True if a block is being recorded.
    #[inline]
    pub(crate) fn record(&mut self, setting: impl FnOnce() -> Setting) -> bool {
        if self.recording.is_none() {
            return false;
        }
        let setting = setting();
        if let Some(handle) = setting.handle() {
            self.bind(handle);
        }
        if let Some(settings) = &mut self.recording {
            settings.push(setting);
        }
        true
    }

    fn own(&mut self, settings: &[Setting]) {
        for handle in settings.iter().filter_map(Setting::handle) {
            self.bind(handle);
        }
    }

    pub(crate) fn disown(&mut self, settings: &[Setting]) {
        for handle in settings.iter().filter_map(Setting::handle) {
            self.unbind_handle(handle);
        }
    }

    /// `CreateStateBlock`, with the current values.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a type that does not exist, or while one is recorded.
    pub fn create_state_block(&mut self, kind: D3DSTATEBLOCKTYPE) -> Result<StateBlockId> {
        if !(D3DSBT_ALL..=D3DSBT_VERTEXSTATE).contains(&kind) || self.recording.is_some() {
            return Err(Error::InvalidCall);
        }
        let mut settings = settings(kind, &self.registers);
        settings.iter_mut().for_each(|setting| setting.capture(self));
        self.own(&settings);
        Ok(self.objects.state_blocks.insert(StateBlock { settings, recorded: false }, true))
    }

    /// `BeginStateBlock`: setters record from here on.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn begin_state_block(&mut self) -> Result<()> {
        if self.recording.is_some() {
            return Err(Error::InvalidCall);
        }
        self.recording = Some(Vec::new());
        Ok(())
    }

    /// `EndStateBlock`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] while none is recorded.
    pub fn end_state_block(&mut self) -> Result<StateBlockId> {
        let settings = self.recording.take().ok_or(Error::InvalidCall)?;
        Ok(self.objects.state_blocks.insert(StateBlock { settings, recorded: true }, true))
    }

    /// `Capture`: takes the current values of what the block holds.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn capture_state_block(&mut self, block: StateBlockId) -> Result<()> {
        if self.recording.is_some() {
            return Err(Error::InvalidCall);
        }
        let found = self.objects.state_blocks.get_mut(block).ok_or(Error::InvalidCall)?;
        let recorded = found.recorded;
        let old = std::mem::take(&mut found.settings);
        let mut settings = old.clone();
        for setting in &mut settings {
            match *setting {
                Setting::Stream(_, _, kept, _) if !recorded => {
                    setting.capture(self);
                    if let Setting::Stream(_, _, offset, _) = setting {
                        *offset = kept;
                    }
                }
                _ => setting.capture(self),
            }
        }
        self.own(&settings);
        self.disown(&old);
        if let Some(block) = self.objects.state_blocks.get_mut(block) {
            block.settings = settings;
        }
        Ok(())
    }

    /// `Apply`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn apply_state_block(&mut self, block: StateBlockId) -> Result<()> {
        if self.recording.is_some() {
            return Err(Error::InvalidCall);
        }
        let block_settings = &mut self.objects.state_blocks.get_mut(block).ok_or(Error::InvalidCall)?.settings;
        let settings = std::mem::take(block_settings);
        for setting in &settings {
            // A setting that no longer fits (a viewport larger than the target) is left out, the others still apply.
            if let Err(error) = setting.apply(self) {
                tracing::debug!(?setting, %error, "state block setting not applied");
            }
        }
        if let Some(block) = self.objects.state_blocks.get_mut(block) {
            block.settings = settings;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_render_state_is_of_vertices_or_of_pixels() {
        let listed = |state: &u32| PIXEL_RENDER_STATES.contains(state) || VERTEX_RENDER_STATES.contains(state);
        // A debugger's mark, which only `D3DSBT_ALL` has.
        let others: Vec<u32> = numbers::<RenderStates>().filter(|state| !listed(state)).collect();
        assert_eq!(others, [D3DRS_DEBUGMONITORTOKEN]);
    }
}
