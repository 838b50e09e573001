//! Shaders: the program's own, and those that stand for the fixed stages.

use super::constants::Bits;
use crate::error::{Error, Result};
use afterimage_d3d9_types::*;
use afterimage_shader_d3d9::ffp::FixedInput;
use afterimage_shader_d3d9::signature::{ConstantUse, Signature};
use afterimage_shader_d3d9::tables::{MINOR_SW, RegisterType, Stage, Version};
use afterimage_shader_d3d9::{Constants, Decoder, FixedPixelKey, FixedVertexKey, RuleSet, check, signature_with};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{self, Language};
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};

/// Registers that a program reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) floats: Bits,
    pub(crate) ints: Bits,
    pub(crate) bools: Bits,
    /// Registers from 256 on, of which there is no list.
    pub(crate) beyond: bool,
}

/// One vertex input: semantic and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) usage: u8,
    pub(crate) index: u8,
    pub(crate) location: u8,
}

/// A shader in the stream.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) id: ObjectId,
    pub(crate) language: Language,
    pub(crate) stage: packets::Stage,
    /// The guest's code: tokens, the words of a key, or text.
    pub(crate) code: Box<[u32]>,
    /// Major number of the shader model; 0 for fixed stages.
    pub(crate) model: u8,
    pub(crate) reads: Reads,
    /// Bit per sampler of the stage that is read.
    pub(crate) samplers: u32,
    /// It is more than hardware vertex processing takes, of a device that has both: a vertex shader of a software model, or
    /// of another with constants that only software has.
    pub(crate) needs_software: bool,
    /// It chooses constants by an index, which in software reaches all that there are, as those of a software model do.
    /// Models before 2.0 have none, and stay with the constants of hardware.
    pub(crate) reaches_further: bool,
    /// The same program with all these constants; made for the first draw in software.
    pub(crate) in_software: Option<Box<Program>>,
    /// Inputs of a vertex shader.
    pub(crate) inputs: SmallVec<[Input; 16]>,
}

fn used(constants: &ConstantUse) -> Bits {
    let read = if constants.relative {
        Bits::first(usize::from(constants.count).min(256))
    } else {
        Bits::from(constants.read)
    };
    read.without(Bits::from(constants.defined))
}

/// Says once of each rule that a shader breaks it, where it is drawn all the same.
fn tell(broken: RuleSet, tokens: &[u32], constants: Constants) {
    static TOLD: Mutex<RuleSet> = Mutex::new(RuleSet::NONE);
    if broken.is_empty() {
        return;
    }
    let mut with_overrides = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let new = broken.without(*with_overrides);
    *with_overrides = with_overrides.with(new);
    drop(with_overrides);
    if !new.is_empty() {
        let strict = Decoder::strict(tokens, constants).ok();
        let first = strict.and_then(|mut strict| strict.find_map(std::result::Result::err));
        let first = first.map_or_else(String::new, |error| error.to_string());
        tracing::warn!(rules = %new, first, "a shader is no valid one; it is drawn all the same (docs/shader-rules.md)");
    }
}

/// Whether hardware takes a shader. Of the software models it takes 2, with as many constants as `2_x` has, and 3 not at all, as
/// Wine's Direct3D 9 does.
fn fits_hardware(signature: &Signature) -> bool {
    let version = signature.version;
    let of_hardware = Version { minor: 1, ..version };
    let fits = |used: &ConstantUse, ty: RegisterType| used.relative || used.count <= ty.info().count(of_hardware);
    let constants = [
        (&signature.floats, RegisterType::Const),
        (&signature.ints, RegisterType::ConstInt),
        (&signature.bools, RegisterType::ConstBool),
    ];
    !version.is_software() || version.major < 3 && constants.into_iter().all(|(used, ty)| fits(used, ty))
}

impl Program {
    /// A program of the application, which may name these constants.
    pub(crate) fn new(tokens: &[u32], stage: packets::Stage, constants: Constants) -> Result<Self> {
        let (signature, broken) = check(tokens, constants).map_err(|error| {
            tracing::warn!(%error, ?stage, "shader refused");
            Error::InvalidCall
        })?;
        tell(broken, tokens, constants);
        let right = matches!(
            (signature.stage(), stage),
            (Stage::Vertex, packets::Stage::Vertex) | (Stage::Pixel, packets::Stage::Pixel)
        );
        if !right || signature.version.major > 3 {
            return Err(Error::InvalidCall);
        }
        if constants == Constants::OfModel && !fits_hardware(&signature) {
            tracing::warn!(version = %signature.version, "shader refused: it needs vertex processing in software");
            return Err(Error::InvalidCall);
        }
        let needs_software = constants == Constants::OfSoftware
            && (signature.version.minor == MINOR_SW || signature_with(tokens, Constants::OfModel).is_err());
        // Whatever kind of texture they declare: a lookup is one in what is bound.
        let read = signature.samplers.iter().enumerate().filter(|(_, sampler)| sampler.is_some());
        let samplers = read.map(|(slot, _)| 1 << slot).sum();
        let inputs = match stage {
            packets::Stage::Vertex => signature
                .inputs
                .iter()
                .map(|e| Input { usage: e.usage as u8, index: e.index, location: e.register as u8 })
                .collect(),
            _ => SmallVec::new(),
        };
        let length = (signature.length as usize).min(tokens.len());
        Ok(Self {
            id: ObjectId::NONE,
            language: Language::D3d9,
            stage,
            code: tokens[..length].into(),
            model: signature.version.major,
            reads: Reads {
                floats: used(&signature.floats),
                ints: used(&signature.ints),
                bools: used(&signature.bools),
                beyond: [&signature.floats, &signature.ints, &signature.bools].iter().any(|file| file.count > 256),
            },
            samplers,
            needs_software,
            reaches_further: constants == Constants::OfSoftware
                && signature.floats.relative
                && signature.version.major >= 2
                && signature.version.minor != MINOR_SW,
            in_software: None,
            inputs,
        })
    }

    /// The same program as its model's software version, which has whatever the others have.
    ///
    /// # Errors
    /// None that a program which is one can cause.
    pub(crate) fn for_software(&self) -> Result<Self> {
        let mut code = self.code.clone();
        if let Some(version) = code.first_mut() {
            *version |= u32::from(MINOR_SW);
        }
        Self::new(&code, self.stage, Constants::OfSoftware)
    }

    /// A shader of text that reads what this one reads.
    pub(crate) fn with_text(&self, text: String) -> Self {
        let word = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(b'\n')));
        Self {
            id: ObjectId::NONE,
            language: Language::Ir,
            code: text.as_bytes().chunks(4).map(word).collect(),
            in_software: None,
            inputs: SmallVec::new(),
            ..*self
        }
    }

    fn fixed(language: Language, stage: packets::Stage, key: &[u32]) -> Self {
        Self {
            id: ObjectId::NONE,
            language,
            stage,
            code: key.into(),
            model: 0,
            reads: Reads::default(),
            samplers: 0,
            needs_software: false,
            reaches_further: false,
            in_software: None,
            inputs: SmallVec::new(),
        }
    }

    /// The fixed vertex stage of a key.
    pub(crate) fn fixed_vertex(key: &FixedVertexKey) -> Self {
        let inputs = fixed_inputs().filter(|input| key.has_input(input.location)).collect();
        let indexed = key.has(FixedVertexKey::INDEXED_BLEND);
        Self {
            inputs,
            reads: Reads { beyond: indexed, ..Reads::default() },
            ..Self::fixed(
                Language::FixedVertex,
                packets::Stage::Vertex,
                bytemuck::cast_slice(std::slice::from_ref(key)),
            )
        }
    }

    /// The fixed pixel stage of a key.
    pub(crate) fn fixed_pixel(key: &FixedPixelKey) -> Self {
        let program =
            Self::fixed(Language::FixedPixel, packets::Stage::Pixel, bytemuck::cast_slice(std::slice::from_ref(key)));
        let textured = key.active().enumerate().filter(|(_, stage)| stage.texture != 0);
        Self { samplers: textured.map(|(slot, _)| 1 << slot).sum(), ..program }
    }
}

/// The inputs that the fixed vertex stage knows, with their locations.
pub(crate) fn fixed_inputs() -> impl Iterator<Item = Input> {
    let at = |usage: u32, index: u8, input: FixedInput| Input { usage: usage as u8, index, location: input as u8 };
    [
        at(D3DDECLUSAGE_POSITION, 0, FixedInput::Position),
        at(D3DDECLUSAGE_POSITIONT, 0, FixedInput::Position),
        at(D3DDECLUSAGE_BLENDWEIGHT, 0, FixedInput::BlendWeight),
        at(D3DDECLUSAGE_BLENDINDICES, 0, FixedInput::BlendIndices),
        at(D3DDECLUSAGE_NORMAL, 0, FixedInput::Normal),
        at(D3DDECLUSAGE_POSITION, 1, FixedInput::Position1),
        at(D3DDECLUSAGE_NORMAL, 1, FixedInput::Normal1),
        at(D3DDECLUSAGE_TANGENT, 0, FixedInput::Tangent),
        at(D3DDECLUSAGE_BINORMAL, 0, FixedInput::Binormal),
        at(D3DDECLUSAGE_FOG, 0, FixedInput::Fog),
        at(D3DDECLUSAGE_DEPTH, 0, FixedInput::Depth),
        at(D3DDECLUSAGE_PSIZE, 0, FixedInput::PointSize),
        at(D3DDECLUSAGE_COLOR, 0, FixedInput::Diffuse),
        at(D3DDECLUSAGE_COLOR, 1, FixedInput::Specular),
    ]
    .into_iter()
    .chain((0..8).map(|set| Input {
        usage: D3DDECLUSAGE_TEXCOORD as u8,
        index: set,
        location: FixedInput::tex_coord(set),
    }))
}
