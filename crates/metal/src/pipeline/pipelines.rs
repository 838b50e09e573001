//! Pipelines and states, each made once.

use crate::error::{Error, Result};
use crate::pipeline::around::{Ending, Ways, only_samples};
use crate::pipeline::kept::Store;
use crate::pipeline::key::{Blend, Key, TargetFormats, tests};
use crate::pipeline::own::Own;
use crate::pipeline::shaders::{ENTRY, Library, Spec};
use afterimage_metal_calls::{
    BlendFactor, BlendOperation, Blending, Class, ColorTarget, DepthStencilDescriptor, Device, FunctionDescriptor,
    PixelFormat, RenderPipelineDescriptor, TopologyClass, VertexDescriptor,
};
use afterimage_render::dynamic::DynamicTests;
use afterimage_stream::Budget;
use afterimage_stream::packets::LogicOp;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Colours over what is there; how much covers that stays.
const OVER: [Blending; 2] = [
    Blending {
        operation: BlendOperation::Add,
        source: BlendFactor::SourceAlpha,
        destination: BlendFactor::OneMinusSourceAlpha,
    },
    Blending { operation: BlendOperation::Add, source: BlendFactor::Zero, destination: BlendFactor::One },
];

/// Depth and stencil states that are found without a search.
const RECENT_TESTS: usize = 16;

/// What is there already.
#[derive(Debug)]
pub(crate) struct Pipelines<D: Device> {
    /// Of guests' draws, by number; none where it cannot be made.
    made: Vec<Option<D::RenderPipeline>>,
    numbers: FxHashMap<Key, u32>,
    /// Of kernels, by number of the variant.
    kernels: FxHashMap<u32, Option<D::ComputePipeline>>,
    depth_stencils: FxHashMap<DepthStencilDescriptor, D::DepthStencil>,
    /// Those that draws had last, by what they come of, each where its words say.
    recent_tests: [Option<([u64; 3], D::DepthStencil)>; RECENT_TESTS],
    /// Vertex layouts by number.
    inputs: Vec<VertexDescriptor>,
    input_numbers: FxHashMap<VertexDescriptor, u32>,
    /// Functions and pipelines of our own shaders.
    functions: FxHashMap<String, D::Function>,
    own: FxHashMap<(Own, TargetFormats, [bool; 4]), D::RenderPipeline>,
    /// What earlier processes have compiled.
    pub(crate) store: Option<Store<D>>,
    /// How many pipelines there may be.
    pub(crate) budget: u64,
}

impl<D: Device> Default for Pipelines<D> {
    fn default() -> Self {
        Self {
            made: Vec::new(),
            numbers: FxHashMap::default(),
            kernels: FxHashMap::default(),
            depth_stencils: FxHashMap::default(),
            recent_tests: [const { None }; RECENT_TESTS],
            inputs: Vec::new(),
            input_numbers: FxHashMap::default(),
            functions: FxHashMap::default(),
            own: FxHashMap::default(),
            store: None,
            budget: Budget::Pipelines.row().default,
        }
    }
}

/// Colour attachments as a pipeline has them.
fn colors(targets: &TargetFormats, blends: &[Blend; 8]) -> SmallVec<[Option<ColorTarget>; 8]> {
    let count = targets.color_count();
    let one = |(format, blend): (&Option<_>, &Blend)| {
        format.map(|format| ColorTarget { format, blending: blend.blending, write: blend.write })
    };
    targets.colors[..count].iter().zip(blends).map(one).collect()
}

/// A pipeline, of the store if there is one.
fn render<D: Device>(
    store: &mut Option<Store<D>>,
    device: &D,
    descriptor: &RenderPipelineDescriptor<'_, D>,
) -> afterimage_metal_calls::Result<D::RenderPipeline> {
    match store {
        Some(store) => store.render(device, descriptor),
        None => device.new_render_pipeline(descriptor),
    }
}

impl<D: Device> Pipelines<D> {
    /// How many there are.
    pub(crate) fn made(&self) -> u64 {
        (self.made.len() + self.kernels.len() + self.own.len()) as u64
    }

    /// The number of a vertex layout.
    pub(crate) fn input(&mut self, input: VertexDescriptor) -> u32 {
        if let Some(number) = self.input_numbers.get(&input) {
            return *number;
        }
        let number = self.inputs.len() as u32;
        self.inputs.push(input.clone());
        self.input_numbers.insert(input, number);
        number
    }

    /// The number of the pipeline of a key; none where it cannot be made, which was said when it was tried.
    pub(crate) fn number(&mut self, device: &D, library: &mut Library<D>, key: &Key) -> Option<u32> {
        let number = match self.numbers.get(key) {
            Some(number) => *number,
            None => {
                let made = self.make(device, library, key);
                let made = made.inspect_err(|error| tracing::error!("a pipeline: {error}; its draws are skipped")).ok();
                let number = self.made.len() as u32;
                self.made.push(made);
                self.numbers.insert(*key, number);
                number
            }
        };
        self.of(number).map(|_| number)
    }

    /// A pipeline by its number.
    #[inline]
    pub(crate) fn of(&self, number: u32) -> Option<&D::RenderPipeline> {
        self.made.get(number as usize)?.as_ref()
    }

    fn make(&mut self, device: &D, library: &mut Library<D>, key: &Key) -> Result<D::RenderPipeline> {
        let (asked, limit) = (self.made.len() as u64 + 1, self.budget);
        if asked > limit {
            return Err(Error::Budget { what: "a pipeline".to_owned(), budget: Budget::Pipelines, asked, limit });
        }
        let unsupported = |what: String| Error::Unsupported { device: device.facts().name.clone(), what };
        let gone = || unsupported("a shader that is not there".to_owned());
        let none = VertexDescriptor::default();
        let input = self.inputs.get(key.input as usize).cloned().unwrap_or(none);
        let vertex = library.variant_mut(key.vertex).ok_or_else(gone)?;
        if let Some(layout) = input.layouts.iter().find(|layout| layout.buffer < vertex.buffers_end) {
            let (buffer, end) = (layout.buffer, vertex.buffers_end);
            return Err(unsupported(format!("a shader with {end} buffers beside vertices in buffer {buffer}")));
        }
        let gives = vertex.varyings.clone();
        let mut ways = Ways::default();
        if let Some(pixel) = key.pixel.filter(|_| !key.discard).and_then(|number| library.variant(number)) {
            if let Some((location, lanes, _)) = pixel.varyings.iter().find(|read| !gives.contains(read)) {
                let what =
                    format!("shaders that do not fit: {lanes} components at location {location} are not written");
                return Err(unsupported(what));
            }
            ways = pixel.ways;
            for (index, format) in key.targets.colors.iter().enumerate() {
                let integers = pixel.integer_outputs >> index & 1 != 0;
                let fits = match format.map(PixelFormat::class) {
                    None => true,
                    Some(Class::UInt) => integers,
                    Some(Class::Int) => false,
                    Some(_) => !integers,
                };
                if pixel.outputs >> index & 1 != 0 && !fits {
                    return Err(unsupported(format!("colour output {index} of a shader to a target of {format:?}")));
                }
            }
        }
        let vertex = library.variant_mut(key.vertex).ok_or_else(gone)?;
        let point_size = vertex.point_size;
        let vertex = vertex.vertex_function(device, &ways)?;
        let there =
            (0..).zip(&key.targets.colors).fold(0, |mask, (index, format)| mask | u32::from(format.is_some()) << index);
        let ending = Ending {
            samples: (key.sample_mask != u16::MAX).then_some(key.sample_mask.into()),
            logic: (key.logic != LogicOp::Off).then_some((key.logic, key.targets.colors)),
        };
        let fragment = match key.pixel.filter(|_| !key.discard) {
            Some(number) => {
                Some(library.variant_mut(number).ok_or_else(gone)?.function(device, key.spec, there, &ending)?)
            }
            None => match ending.samples.filter(|_| !key.discard) {
                Some(samples) => Some(self.own_function(device, &only_samples(ENTRY, samples), ENTRY)?),
                None => None,
            },
        };
        let descriptor = RenderPipelineDescriptor {
            label: "guest",
            vertex: &vertex,
            fragment: fragment.as_ref(),
            input: &input,
            colors: &colors(&key.targets, &key.blends),
            depth: key.targets.depth,
            stencil: key.targets.stencil(),
            samples: key.targets.samples.max(1).into(),
            alpha_to_coverage: key.alpha_to_coverage,
            alpha_to_one: false,
            rasterization: !key.discard,
            topology: key.topology.class(point_size),
        };
        Ok(render(&mut self.store, device, &descriptor)?)
    }

    /// The pipeline of a kernel.
    pub(crate) fn kernel(&mut self, device: &D, library: &mut Library<D>, number: u32) -> Option<D::ComputePipeline> {
        if let Some(made) = self.kernels.get(&number) {
            return made.clone();
        }
        let made = library.variant_mut(number).and_then(|variant| {
            let made = variant.function(device, Spec::DYNAMIC, u32::MAX, &Ending::default()).and_then(|function| {
                match &mut self.store {
                    Some(store) => Ok(store.compute(device, &function, "guest")?),
                    None => Ok(device.new_compute_pipeline(&function, "guest")?),
                }
            });
            made.inspect_err(|error| tracing::error!("a kernel: {error}; its dispatches are skipped")).ok()
        });
        self.kernels.insert(number, made.clone());
        made
    }

    /// Depth and stencil tests.
    pub(crate) fn depth_stencil(&mut self, device: &D, descriptor: &DepthStencilDescriptor) -> Result<D::DepthStencil> {
        if let Some(made) = self.depth_stencils.get(descriptor) {
            return Ok(made.clone());
        }
        let made = device.new_depth_stencil(descriptor)?;
        self.depth_stencils.insert(*descriptor, made.clone());
        Ok(made)
    }

    /// Those of a draw.
    #[inline]
    pub(crate) fn tests(&mut self, device: &D, wanted: DynamicTests) -> Result<&D::DepthStencil> {
        let key = wanted.without_references();
        let mixed = key
            .into_iter()
            .fold(0u64, |mixed, word| (mixed ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        let at = (mixed >> 7) as usize % RECENT_TESTS;
        if self.recent_tests[at].as_ref().is_none_or(|(there, _)| *there != key) {
            let made = self.depth_stencil(device, &tests(&wanted.state()))?;
            self.recent_tests[at] = Some((key, made));
        }
        match &self.recent_tests[at] {
            Some((_, made)) => Ok(made),
            None => Err(Error::Unsupported {
                device: device.facts().name.clone(),
                what: "depth and stencil tests".to_owned(),
            }),
        }
    }

    /// A function of a shader of our own.
    fn own_function(&mut self, device: &D, source: &str, name: &str) -> Result<D::Function> {
        if let Some(made) = self.functions.get(source) {
            return Ok(made.clone());
        }
        let made = device.new_function(&FunctionDescriptor { source, name, constants: &[], label: name })?;
        self.functions.insert(source.to_owned(), made.clone());
        Ok(made)
    }

    /// A pipeline of our own shaders, which writes these channels of all targets that it has outputs for.
    pub(crate) fn own(
        &mut self,
        device: &D,
        own: Own,
        targets: &TargetFormats,
        write: [bool; 4],
    ) -> Result<D::RenderPipeline> {
        if let Some(made) = self.own.get(&(own, *targets, write)) {
            return Ok(made.clone());
        }
        let vertex = self.own_function(device, &own.vertex(), "corner")?;
        let fragment = match own.fragment() {
            Some(source) => Some(self.own_function(device, &source, "texel")?),
            None => None,
        };
        let blending = (own == Own::Glyphs).then_some(OVER);
        let blends = [Blend { blending, write }; 8];
        let descriptor = RenderPipelineDescriptor {
            label: "afterimage",
            vertex: &vertex,
            fragment: fragment.as_ref(),
            input: &VertexDescriptor::default(),
            colors: &colors(targets, &blends),
            depth: targets.depth,
            stencil: targets.stencil(),
            samples: targets.samples.max(1).into(),
            alpha_to_coverage: false,
            alpha_to_one: false,
            rasterization: true,
            topology: TopologyClass::Triangle,
        };
        let made = render(&mut self.store, device, &descriptor)?;
        self.own.insert((own, *targets, write), made.clone());
        Ok(made)
    }
}
