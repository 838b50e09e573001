//! The shaders of a capture, in every language that they can be read in.

use crate::Moment;
use afterimage_shader::{CompileError, Features, Language, Profile, Reflection, RuntimeInfo, Shader};
use afterimage_shader_d3d9 as d3d9;
use afterimage_shader_gcn as gcn;
use afterimage_shader_nv2a as nv2a;
use afterimage_shader_spirv as spirv;
use afterimage_stream::packets::{CreateShader, Init, Stage};
use afterimage_stream::{ObjectId, TEXTURE_SLOTS};
use bytemuck::AnyBitPattern;
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::xxh3_128;

/// What a shader can be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The guest's language: assembler text, or what a fixed function's key says.
    Guest,
    /// IR as it comes from the front end.
    Ir,
    /// IR behind the passes: what back ends write.
    IrOptimized,
    /// SPIR-V as text.
    Spirv,
    /// Metal Shading Language.
    Msl,
}

impl Form {
    /// Every form, with the name that the command line has for it.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Guest, "guest"),
        (Self::Ir, "ir"),
        (Self::IrOptimized, "ir-optimized"),
        (Self::Spirv, "spirv"),
        (Self::Msl, "msl"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(form, _)| *form == self).map_or("", |(_, name)| name)
    }
}

/// What code says once it has been read.
#[derive(Debug)]
struct Parsed {
    shader: Shader,
    reflection: Option<Reflection>,
    /// Of Direct3D 9's vertex shaders: registers and what they hold.
    inputs: Vec<(u8, String)>,
}

/// A shader as a packet created it.
#[derive(Debug)]
pub struct ShaderCode {
    /// Its id.
    pub id: ObjectId,
    /// Stage.
    pub stage: Stage,
    /// The stream's number of its language.
    pub language: u32,
    /// When it was created.
    pub created: Moment,
    /// Bytes that the packet names.
    pub size: u32,
    /// The guest's code; `None` where the capture does not have it, or it is larger than what is kept.
    pub code: Option<Arc<[u8]>>,
    /// Hash of the code, if it is there; see [`shader_hash`].
    pub hash: Option<u128>,
    /// Shared with those of the same code.
    parsed: Arc<OnceLock<Result<Parsed, String>>>,
}

/// The hash that names guest code: XXH3 of 128 bits over its bytes. People write it as 32 hexadecimal digits.
#[must_use]
pub fn shader_hash(code: &[u8]) -> u128 {
    xxh3_128(code)
}

/// The guest ([`Init::guest`]) whose shaders are in a language: captures that begin in the middle of a stream have no [`Init`].
pub(crate) fn guest_of_language(number: u32) -> Option<u32> {
    match Language::from_number(number)? {
        Language::D3d9 | Language::FixedVertex | Language::FixedPixel => Some(Init::D3D9),
        Language::Nv2aProgram | Language::Nv2aFixed | Language::Nv2aPixel => Some(Init::NV2A),
        Language::Gcn | Language::GcnEmitted => Some(Init::GNM),
        Language::Ir | Language::Spirv => None,
    }
}

/// The shaders of a capture.
#[derive(Debug, Default)]
pub(crate) struct Shaders {
    pub(crate) all: Vec<ShaderCode>,
    /// By id: which of them had it, in order.
    places: FxHashMap<ObjectId, Vec<usize>>,
    /// By language and hash: the first of them.
    equal: FxHashMap<(u32, u128), usize>,
}

impl Shaders {
    pub(crate) fn push(&mut self, body: &CreateShader, code: Option<Arc<[u8]>>, created: Moment) {
        let (mut shader, place) = (ShaderCode::new(body, code, created), self.all.len());
        if let Some(hash) = shader.hash {
            let first = *self.equal.entry((shader.language, hash)).or_insert(place);
            // Of another stage, code is another shader.
            if let Some(first) = self.all.get(first).filter(|first| first.stage == shader.stage) {
                shader.parsed = Arc::clone(&first.parsed);
            }
        }
        self.places.entry(shader.id).or_default().push(place);
        self.all.push(shader);
    }

    /// The shader that an id names when a call is done.
    pub(crate) fn at(&self, id: ObjectId, call: u64) -> Option<&ShaderCode> {
        let places = self.places.get(&id)?;
        let created = places.partition_point(|at| self.all[*at].created.is_before(call));
        self.all.get(*places.get(created.checked_sub(1)?)?)
    }
}

/// What fixed function takes the NV2A's vertex attributes for, and programs mostly do.
const NV2A_INPUTS: [&str; 13] = [
    "position",
    "weight",
    "normal",
    "diffuse",
    "specular",
    "fog",
    "point size",
    "back diffuse",
    "back specular",
    "texture 0",
    "texture 1",
    "texture 2",
    "texture 3",
];

fn profile() -> Profile {
    Profile { debug_names: true, features: Features::ALL, ..Profile::default() }
}

impl ShaderCode {
    fn new(body: &CreateShader, code: Option<Arc<[u8]>>, created: Moment) -> Self {
        Self {
            id: body.id,
            stage: Stage::of(u8::try_from(body.stage).unwrap_or(0)),
            language: body.language,
            created,
            size: body.code.size,
            hash: code.as_deref().map(shader_hash),
            code,
            parsed: Arc::default(),
        }
    }

    /// The language's name.
    #[must_use]
    pub fn language_name(&self) -> &'static str {
        Language::from_number(self.language).map_or("unknown", Language::name)
    }

    /// The hash as people write it.
    #[must_use]
    pub fn hash_text(&self) -> String {
        self.hash.map_or_else(|| "unknown".into(), |hash| format!("{hash:032x}"))
    }

    fn bytes(&self) -> Result<&[u8], String> {
        self.code.as_deref().ok_or_else(|| format!("the capture does not have its {} bytes", self.size))
    }

    fn parsed(&self) -> Result<&Parsed, String> {
        let parse = || {
            let shader = Shader::from_stream(self.language, self.bytes()?).map_err(|error| error.to_string())?;
            let runtime = Self::runtime(&shader);
            let reflection = shader.compile(&profile(), &runtime).ok().map(|artifact| artifact.reflection);
            Ok(Parsed { shader, reflection, inputs: self.inputs_of_code() })
        };
        self.parsed.get_or_init(parse).as_ref().map_err(Clone::clone)
    }

    /// What is around a shader that is read alone.
    fn runtime(shader: &Shader) -> RuntimeInfo {
        RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() }
    }

    /// What the shader uses, if it can be translated.
    #[must_use]
    pub fn reflection(&self) -> Option<&Reflection> {
        self.parsed().ok()?.reflection.as_ref()
    }

    fn inputs_of_code(&self) -> Vec<(u8, String)> {
        if Language::from_number(self.language) != Some(Language::D3d9) || self.stage != Stage::Vertex {
            return Vec::new();
        }
        let tokens = self.code.as_deref().and_then(|code| d3d9::tokens_from_bytes(code).ok());
        let Some(signature) = tokens.and_then(|tokens| d3d9::signature(&tokens).ok()) else { return Vec::new() };
        let name = |usage, index| match index {
            0 => format!("{usage:?}").to_uppercase(),
            _ => format!("{usage:?}{index}").to_uppercase(),
        };
        signature.inputs.iter().map(|input| (input.register as u8, name(input.usage, input.index))).collect()
    }

    /// What the shader calls the input at a location.
    pub(crate) fn input_name(&self, location: u8) -> String {
        match Language::from_number(self.language) {
            Some(Language::D3d9) => {
                let inputs = self.parsed().map_or(&[][..], |parsed| &parsed.inputs);
                let name = inputs.iter().find(|(register, _)| *register == location);
                name.map_or_else(|| format!("v{location}"), |(_, name)| name.clone())
            }
            Some(Language::Nv2aProgram | Language::Nv2aFixed) => match NV2A_INPUTS.get(usize::from(location)) {
                Some(name) => format!("v{location} {name}"),
                None => format!("v{location}"),
            },
            _ => format!("location {location}"),
        }
    }

    /// A bit for each texture slot that it looks up, as draws and dispatches count them.
    #[must_use]
    pub fn slots(&self) -> Option<u32> {
        let reflection = self.reflection()?;
        // Those of compute shaders come behind those of draws.
        let first = if self.stage == Stage::Compute { TEXTURE_SLOTS as u32 } else { 0 };
        let slots = reflection.textures.iter().filter_map(|texture| u32::from(texture.slot).checked_sub(first));
        Some(slots.fold(0, |mask, slot| mask | 1u32.checked_shl(slot).unwrap_or(0)))
    }

    /// The shader in a form for people.
    ///
    /// # Errors
    /// Why it has none.
    pub fn text(&self, form: Form) -> Result<String, String> {
        if form == Form::Guest {
            return self.guest_text();
        }
        let shader = &self.parsed()?.shader;
        let (profile, runtime) = (profile(), Self::runtime(shader));
        let text = |error: CompileError| error.to_string();
        match form {
            Form::Guest => self.guest_text(),
            Form::Ir => Ok(shader.lift(&runtime).map_err(text)?.to_string()),
            Form::IrOptimized => Ok(shader.module(&profile, &runtime).map_err(text)?.to_string()),
            Form::Spirv => {
                let artifact = shader.compile(&profile, &runtime).map_err(text)?;
                spirv::disassemble(&artifact.words).map_err(|error| error.to_string())
            }
            Form::Msl => Ok(shader.compile_msl(&profile, &runtime).map_err(text)?.source),
        }
    }

    fn guest_text(&self) -> Result<String, String> {
        fn said(error: impl ToString) -> String {
            error.to_string()
        }
        fn key<K: AnyBitPattern>(bytes: &[u8]) -> Result<K, String> {
            let wrong = |_| format!("{} bytes are no key of {}", bytes.len(), size_of::<K>());
            bytemuck::try_pod_read_unaligned(bytes).map_err(wrong)
        }
        fn debug(value: &impl Debug) -> String {
            format!("{value:#?}\n")
        }
        let bytes = self.bytes()?;
        match Language::from_number(self.language).ok_or("its language is not known")? {
            Language::D3d9 => d3d9::disassemble(&d3d9::tokens_from_bytes(bytes).map_err(said)?).map_err(said),
            Language::FixedVertex => Ok(debug(&key::<d3d9::FixedVertexKey>(bytes)?)),
            Language::FixedPixel => Ok(debug(&key::<d3d9::FixedPixelKey>(bytes)?)),
            Language::Ir => std::str::from_utf8(bytes).map(str::to_owned).map_err(said),
            Language::Spirv => {
                let words = spirv::words_from_bytes(bytes).map_err(said)?;
                spirv::disassemble(&words).map_err(said)
            }
            Language::Nv2aProgram => Ok(nv2a::Program::from_bytes(bytes).map_err(said)?.to_string()),
            Language::Nv2aFixed => Ok(debug(&key::<nv2a::fixed::Key>(bytes)?)),
            Language::Nv2aPixel => Ok(nv2a::pixel::disasm(&key(bytes)?)),
            Language::GcnEmitted => Ok(debug(&key::<gcn::emitted::Key>(bytes)?)),
            Language::Gcn => {
                let source = gcn::io::Source::from_bytes(bytes).map_err(said)?;
                let mut text = gcn::Program::parse(&source.code, source.stage).map_err(said)?.to_string();
                if !source.fetch.is_empty() {
                    let fetch = gcn::Program::parse(&source.fetch, source.stage).map_err(said)?;
                    text.push_str(&format!("; fetch shader\n{fetch}"));
                }
                Ok(text)
            }
        }
    }
}
