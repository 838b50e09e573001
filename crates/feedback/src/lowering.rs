//! SPIR-V in, lowered SPIR-V out.

use crate::formats::{self, Format};
use crate::uses::Uses;
use afterimage_abi::push;
use afterimage_ir::{
    FEEDBACK_BUFFERS, FeedbackDecl, InputAt, MAX_FEEDBACK_STRIDE, Module, Output, OutputAt, Stage, VerifyError, verify,
};
use afterimage_passes::feedback::table::Provoking;
use afterimage_passes::feedback::{self, Attribute, FeedbackError, Form, Step};
use afterimage_passes::{FloatRules, optimize};
use afterimage_shader_spirv::io::{Bindings, BlockSource};
use afterimage_shader_spirv::{self as spirv, LiftError, LiftErrorKind, Lifted, ParseError, Program};
use afterimage_spirv::Bound;

/// Shaders that are not a guest's of ours have no float rules of their own.
const FLOATS: afterimage_passes::Options = afterimage_passes::Options { float_rules: FloatRules::Strict };
/// What is written is for any device.
const SPIRV: afterimage_spirv::Options = afterimage_spirv::Options {
    bindless: false,
    preserve: false,
    debug_names: true,
    features: afterimage_spirv::Features::ALL,
};
const VERTEX_WANTED: &str = "what is lowered is a vertex shader, with a geometry shader behind it if there is one";
const GEOMETRY_WANTED: &str = "what is wanted behind the vertex shader is a geometry shader";

/// Where a vertex attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeSource {
    /// Location of the input.
    pub location: u8,
    /// How a vertex has it.
    pub format: Format,
    /// Number of the vertex buffer in [`Draw::vertex_buffers`](crate::block::Draw::vertex_buffers).
    pub slot: u8,
    /// Byte in the vertex.
    pub offset: u32,
    /// Instances after which the next vertex is read, 0 for never; `None` where each vertex has its own.
    pub divisor: Option<u32>,
}

/// What can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackSource {
    /// The output at a location.
    Location(u8),
    /// `gl_Position`.
    Position,
    /// `gl_PointSize`.
    PointSize,
    /// Four of `gl_ClipDistance`, from 0 or 4 on.
    ClipDistance(u8),
}

impl FeedbackSource {
    fn at(self) -> OutputAt {
        match self {
            Self::Location(location) => OutputAt::Location(location),
            Self::Position => OutputAt::Position,
            Self::PointSize => OutputAt::PointSize,
            Self::ClipDistance(first) => OutputAt::ClipDistance(first),
        }
    }
}

/// An output, or some of its components, that is captured. For modules without decorations of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackPlace {
    /// The output.
    pub what: FeedbackSource,
    /// First component and their number; all of them if `None`.
    pub components: Option<(u8, u8)>,
    /// Buffer, 0 to 3.
    pub buffer: u8,
    /// Byte in the captured vertex; behind the one before it in its buffer if `None`.
    pub offset: Option<u32>,
}

/// Why a shader was not lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The words are no SPIR-V.
    #[error("{0}")]
    Parse(#[from] ParseError),
    /// The shader has what the IR cannot say.
    #[error("{0}")]
    Lift(#[from] LiftError),
    /// No shader of the stage that there should be.
    #[error("{error}; {wanted}")]
    Stage {
        /// What there is.
        error: LiftError,
        /// What there should be.
        wanted: &'static str,
    },
    /// A geometry shader in a form that it does not have.
    #[error("a geometry shader is lowered to a compute shader alone: none of its forms scatters")]
    GeometryScatters,
    /// Nothing says what is to be captured.
    #[error(
        "it has no transform feedback decorations (XfbBuffer, XfbStride, Offset): say what to capture (--capture position=0, \
         Lowering::capture, AfterimageFeedbackOptions.captures); outputs are {outputs}"
    )]
    NoFeedback {
        /// What could be captured.
        outputs: String,
    },
    /// Feedback of something that is not there.
    #[error("capture {number} is of {what}, which the shader does not write; outputs are {outputs}")]
    NoOutput {
        /// Which one, from 1.
        number: usize,
        /// What it is of.
        what: String,
        /// What could be captured.
        outputs: String,
    },
    /// Feedback that goes where it cannot.
    #[error("capture {number}: {why}")]
    Capture {
        /// Which one, from 1.
        number: usize,
        /// Why it cannot.
        why: String,
    },
    /// Outputs that cannot be written together.
    #[error("the outputs do not go together: {0}")]
    Captures(VerifyError),
    /// A stride that cannot be.
    #[error(
        "buffer {buffer} cannot have a stride of {stride}: a stride is a multiple of 4 of at least {least} and at most {MAX_FEEDBACK_STRIDE}"
    )]
    Stride {
        /// The buffer.
        buffer: u8,
        /// What was asked for.
        stride: u32,
        /// What the captures need.
        least: u32,
    },
    /// A stride of a buffer into which nothing was asked.
    #[error("buffer {0} has a stride, and none of the captures that are asked for goes there")]
    NoBuffer(u8),
    /// An attribute for an input that is not there.
    #[error("the attribute at location {location} is none of the shader's, whose inputs are {inputs}")]
    NoInput {
        /// The location.
        location: u8,
        /// What it reads.
        inputs: String,
    },
    /// Constants behind an address, in our own ABI or like it, with something that cannot stay beside them.
    #[error("its constants are behind an address in the push constants; {0} beside them cannot be lowered")]
    Addresses(&'static str),
    /// The pass refuses it.
    #[error("{0}")]
    Feedback(#[from] FeedbackError),
    /// What comes out cannot be written as SPIR-V.
    #[error("{0}")]
    Spirv(#[from] afterimage_spirv::EmitError),
    /// What comes out cannot be written as Metal's language.
    #[error("{0}")]
    Metal(#[from] afterimage_msl::EmitError),
}

/// A shader that is to be lowered, and how.
///
/// ```
/// # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shaders/place.vert.spv"));
/// # let words: Vec<u32> = file.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
/// use afterimage_feedback::{AttributeSource, Form, Lowering};
///
/// let lowered = Lowering::new(&words)?                     // a vertex shader with Xfb decorations
///     .form(Form::Gather)
///     .attribute("0=R16G16_SNORM@0+0".parse::<AttributeSource>()?)
///     .lower()?;
/// assert_eq!(lowered.words[0], 0x0723_0203);               // a compute shader
/// assert_eq!(lowered.uses.strides, [16, 0, 0, 0]);         // bytes that it captures of a vertex
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lowering {
    program: Program,
    entry: Option<String>,
    geometry: Option<Program>,
    provoking: Provoking,
    form: Form,
    attributes: Vec<AttributeSource>,
    /// Whether these are the attributes that there are.
    whole: bool,
    captures: Vec<FeedbackPlace>,
    strides: Vec<(u8, u32)>,
    push: Option<u32>,
}

/// A lowered shader.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// SPIR-V.
    pub words: Vec<u32>,
    /// The module that the words were written from; [`afterimage_msl::emit`] writes it in Metal's language.
    pub module: Module,
    /// What it has to be given.
    pub uses: Uses,
}

impl Lowering {
    /// A vertex shader in SPIR-V of any version, either byte order.
    ///
    /// # Errors
    /// When the words are no SPIR-V.
    pub fn new(words: &[u32]) -> Result<Self, Error> {
        Ok(Self {
            program: Program::parse(words)?,
            entry: None,
            geometry: None,
            provoking: Provoking::First,
            form: Form::default(),
            attributes: Vec::new(),
            whole: false,
            captures: Vec::new(),
            strides: Vec::new(),
            push: None,
        })
    }

    /// The entry point to take; without this the only one of the stage.
    #[must_use]
    pub fn entry(mut self, name: impl Into<String>) -> Self {
        self.entry = Some(name.into());
        self
    }

    /// What comes out: a compute shader, or a vertex shader.
    #[must_use]
    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    /// A geometry shader in SPIR-V behind the vertex shader: its outputs are captured.
    ///
    /// # Errors
    /// When the words are no SPIR-V.
    pub fn geometry(mut self, words: &[u32]) -> Result<Self, Error> {
        self.geometry = Some(Program::parse(words)?);
        Ok(self)
    }

    /// Which vertex of the strips that a geometry shader gives provokes: the first, unless the pipeline has it otherwise. (Of vertex
    /// shaders the table's row says it, draw by draw.)
    #[must_use]
    pub fn provoking(mut self, provoking: Provoking) -> Self {
        self.provoking = provoking;
        self
    }

    /// Byte of the push constants, a multiple of 8, where the address of the system values shall be. Without this, or with 0, it is
    /// the first one behind the shader's own push constants.
    #[must_use]
    pub fn push(mut self, byte: u32) -> Self {
        self.push = Some(byte).filter(|byte| *byte != 0);
        self
    }

    /// Says where an attribute is read. Inputs of which nothing is said are read as the shader declares them, floats and whole
    /// numbers of 32 bits, from the slot of their location's number at offset 0.
    #[must_use]
    pub fn attribute(mut self, attribute: AttributeSource) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Says which attributes there are, as a pipeline's vertex input does: those that the shader does not read are left out, and inputs that
    /// none of them feeds are (0, 0, 0, 1).
    #[must_use]
    pub fn vertex_input(mut self, attributes: Vec<AttributeSource>) -> Self {
        (self.attributes, self.whole) = (attributes, true);
        self
    }

    /// Captures an output. What the module's decorations say is then not looked at.
    #[must_use]
    pub fn capture(mut self, capture: FeedbackPlace) -> Self {
        self.captures.push(capture);
        self
    }

    /// Bytes between the vertices in a buffer, which [`Lowering::capture`] has asked captures into; without this no more than they need.
    #[must_use]
    pub fn stride(mut self, buffer: u8, bytes: u32) -> Self {
        self.strides.push((buffer, bytes));
        self
    }

    /// Lowers the shader.
    ///
    /// # Errors
    /// When the shader has what is not covered, captures nothing, or an attribute or capture does not fit it.
    pub fn lower(&self) -> Result<Lowered, Error> {
        let options = spirv::Options { entry: self.entry.as_deref(), stage: Some(Stage::Vertex) };
        let lifted = spirv::lift(&self.program, &options);
        let Lifted { module: mut vertex, mut bindings, .. } = lifted.map_err(|error| stage(error, VERTEX_WANTED))?;
        let sources = self.sources(&vertex)?;
        let attributes: Vec<_> = sources.iter().map(attribute).collect();
        let (captured, mut module) = match &self.geometry {
            None => {
                vertex = self.captured(vertex)?;
                optimize(&mut vertex, &FLOATS);
                let options = feedback::Options { form: self.form, attributes };
                let module = feedback::lower(&vertex, &options)?;
                (vertex, module)
            }
            Some(_) if self.form == Form::Scatter => return Err(Error::GeometryScatters),
            Some(program) => {
                let options = spirv::Options { entry: None, stage: Some(Stage::Geometry) };
                let lifted = spirv::lift_after(program, &options, &bindings);
                let lifted = lifted.map_err(|error| stage(error, GEOMETRY_WANTED))?;
                bindings.join(&lifted.bindings);
                let mut geometry = self.captured(lifted.module)?;
                vertex.feedback.clear();
                optimize(&mut vertex, &FLOATS);
                optimize(&mut geometry, &FLOATS);
                let module = feedback::lower_geometry(&vertex, &geometry, &attributes, self.provoking)?;
                (geometry, module)
            }
        };
        optimize(&mut module, &FLOATS);
        // Modules that our own back end wrote have their constants behind addresses, and stay so.
        let ours = bindings.blocks.iter().any(|block| matches!(block.source, BlockSource::Address(_)));
        let (artifact, push) = if ours {
            let push = stays_ours(&mut bindings, module.stage, self.push)?;
            (afterimage_spirv::emit(&module, &SPIRV)?, push)
        } else {
            let bound = Bound { bindings: &bindings, feedback: self.push };
            (afterimage_spirv::emit_bound(&module, &SPIRV, &bound)?, bound.feedback())
        };
        let Bindings { blocks, textures, frozen } = bindings;
        let geometry = self.geometry.is_some();
        let uses = Uses {
            push,
            geometry,
            attributes: sources,
            blocks,
            textures,
            frozen,
            ..Uses::of(&captured, &module, self.form)
        };
        Ok(Lowered { words: artifact.words, module, uses })
    }

    /// Where every input of the shader is read.
    fn sources(&self, vertex: &Module) -> Result<Vec<AttributeSource>, Error> {
        let mut sources = self.attributes.clone();
        let inputs = || {
            vertex.inputs.iter().filter_map(|i| match i.at {
                InputAt::Location(location) => Some((location, i.ty)),
                _ => None,
            })
        };
        let is_read = |attribute: &AttributeSource| {
            let locations = attribute.format.fetch().locations();
            let end = attribute.location.saturating_add(locations);
            inputs().any(|(location, _)| (attribute.location..end).contains(&location))
        };
        if self.whole {
            sources.retain(is_read);
        }
        for attribute in self.attributes.iter().filter(|_| !self.whole) {
            if !inputs().any(|(location, _)| location == attribute.location) {
                let inputs = list(inputs().map(|(location, ty)| format!("location {location} ({ty})")));
                return Err(Error::NoInput { location: attribute.location, inputs });
            }
        }
        for (location, ty) in inputs() {
            let feeds = |a: &AttributeSource| {
                (a.location..a.location.saturating_add(a.format.fetch().locations())).contains(&location)
            };
            if !sources.iter().any(feeds) {
                sources.push(AttributeSource {
                    location,
                    format: formats::of(ty),
                    slot: if self.whole { Attribute::DEFAULT } else { location },
                    offset: 0,
                    divisor: None,
                });
            }
        }
        sources.sort_by_key(|source| source.location);
        Ok(sources)
    }

    /// The module with the captures that were asked for in place of its own.
    fn captured(&self, mut module: Module) -> Result<Module, Error> {
        let goes_to = |buffer| self.captures.iter().any(|capture| capture.buffer == buffer);
        if let Some((buffer, _)) = self.strides.iter().find(|stride| !goes_to(stride.0)) {
            return Err(Error::NoBuffer(*buffer));
        }
        if !self.captures.is_empty() {
            module.feedback = self.places(&module)?;
            verify(&module).map_err(Error::Captures)?;
        }
        if module.feedback.is_empty() {
            return Err(Error::NoFeedback { outputs: outputs(&module) });
        }
        Ok(module)
    }

    fn places(&self, module: &Module) -> Result<Vec<FeedbackDecl>, Error> {
        let mut ends = [0; FEEDBACK_BUFFERS as usize];
        let mut captures = Vec::with_capacity(self.captures.len());
        for (number, place) in (1..).zip(&self.captures) {
            let wrong = |why: String| Error::Capture { number, why };
            let at = place.what.at();
            let Some((output, decl)) = (0..).map(Output).zip(&module.outputs).find(|(_, decl)| decl.at == at) else {
                return Err(Error::NoOutput { number, what: at.to_string(), outputs: outputs(module) });
            };
            let (component, lanes) = place.components.unwrap_or((0, decl.ty.lanes));
            if lanes == 0 || u16::from(component) + u16::from(lanes) > decl.ty.lanes.into() {
                return Err(wrong(format!("{at} has {} components", decl.ty.lanes)));
            }
            let Some(end) = ends.get_mut(usize::from(place.buffer)) else {
                return Err(wrong(format!(
                    "there is no buffer {}: buffers are 0 to {}",
                    place.buffer,
                    FEEDBACK_BUFFERS - 1
                )));
            };
            let offset = place.offset.unwrap_or(*end);
            if offset % 4 != 0 || offset >= MAX_FEEDBACK_STRIDE {
                return Err(wrong(format!("offset {offset} is no multiple of 4 below {MAX_FEEDBACK_STRIDE}")));
            }
            *end = (*end).max(offset + 4 * u32::from(lanes));
            captures.push(FeedbackDecl {
                output,
                component,
                lanes,
                buffer: place.buffer,
                stream: 0,
                stride: 0,
                offset,
            });
        }
        for capture in &mut captures {
            let (buffer, least) = (capture.buffer, ends[usize::from(capture.buffer)]);
            let stride = self.strides.iter().rfind(|stride| stride.0 == buffer);
            capture.stride = stride.map_or(least, |stride| stride.1);
            if capture.stride % 4 != 0 || !(least..=MAX_FEEDBACK_STRIDE).contains(&capture.stride) {
                return Err(Error::Stride { buffer, stride: capture.stride, least });
            }
        }
        Ok(captures)
    }
}

impl Lowered {
    /// The shader in Metal's language.
    ///
    /// # Errors
    /// When Metal has no form of it.
    pub fn metal(&self) -> Result<afterimage_msl::Artifact, Error> {
        Ok(afterimage_msl::emit(&self.module, &afterimage_msl::Options::default())?)
    }
}

/// SPIR-V of the shader that fills a [`Draw`](crate::block::Draw) where only the device knows its numbers: one work group.
///
/// # Panics
/// Never: the shader is ours, and a test writes it.
pub fn prepare() -> Vec<u32> {
    let mut module = feedback::prepare();
    optimize(&mut module, &FLOATS);
    afterimage_spirv::emit(&module, &SPIRV).expect("the shader is ours").words
}

/// What stays in our own ABI has the address of its constants elsewhere in a compute shader than in the stage that it was. The byte of
/// the block's address.
fn stays_ours(bindings: &mut Bindings, stage: Stage, push: Option<u32>) -> Result<u32, Error> {
    let (constants, block) = (push::constants(stage), push::feedback(stage));
    let mut first = true;
    for used in &mut bindings.blocks {
        match &mut used.source {
            BlockSource::Address(push::SYSTEM) => {}
            BlockSource::Address(byte) if std::mem::take(&mut first) => *byte = constants,
            BlockSource::Address(_) => return Err(Error::Addresses("those of another stage")),
            _ => return Err(Error::Addresses("uniform blocks and storage buffers")),
        }
    }
    if !bindings.textures.is_empty() {
        return Err(Error::Addresses("textures"));
    }
    match push {
        Some(byte) if byte != block => Err(Error::Addresses("another place for the block of system values")),
        _ => Ok(block),
    }
}

fn attribute(source: &AttributeSource) -> Attribute {
    let AttributeSource { location, slot, offset, .. } = *source;
    let step = source.divisor.map_or(Step::Vertex, Step::Instance);
    Attribute { location, slot, fetch: source.format.fetch(), offset, step }
}

fn stage(error: LiftError, wanted: &'static str) -> Error {
    match error.kind {
        LiftErrorKind::NoEntryPoint(_) => Error::Stage { error, wanted },
        _ => error.into(),
    }
}

fn outputs(module: &Module) -> String {
    list(module.outputs.iter().map(|o| format!("{} ({})", o.at, o.ty)))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let text = items.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".to_owned() } else { text }
}
