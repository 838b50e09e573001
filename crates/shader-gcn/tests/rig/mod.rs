//! What it takes to see that a translation does what the shader does: the translation itself, the interpreter, a device.

mod compare;
#[path = "../../../spirv/tests/gpu/device.rs"]
mod device;
mod dispatch;
mod interpret;
mod source;
mod translate;

use afterimage_gcn_corpus::{Compare, Header, Kind, Program, Shader, Stage, World};
use afterimage_ir::{Dim, MAX_WAVE, TEXTURE_SLOTS};
use afterimage_spirv::{Artifact, Options, emit};
use ash::vk;
pub(crate) use device::Gpu;

use crate::judges;
use compare::compare;
use dispatch::{Bind, Binding, Dispatch, Things};
use interpret::{interpret, within};
use translate::{Translated, translate};

/// What the contents of memory come from.
const SEED: u32 = 1;
/// Elements of each array of textures and of samplers, by slot.
const SLOTS: usize = 20;
/// Words of the push constants.
const PUSH: usize = 32;

/// How far a shader comes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Step {
    /// It has no translation.
    Translate,
    /// `spirv-val` does not take it.
    Validate,
    /// The interpreter gives other memory than the original on the device, or does not end.
    Interpret,
    /// The device does.
    Run,
}

impl Step {
    pub(crate) fn name(self) -> &'static str {
        ["translate", "validate", "interpret", "run"][self as usize]
    }
}

/// A program with what it does to memory by its own SPIR-V.
pub(crate) struct Subject<'a> {
    program: &'a Program,
    world: World,
    /// Contents of all resources afterwards; nothing if that is not looked at, or depends on the size of waves.
    wanted: Option<Vec<Vec<u32>>>,
}

impl<'a> Subject<'a> {
    /// Runs a compute shader as glslang wrote it.
    pub(crate) fn new(gpu: &Gpu, program: &'a Program) -> Subject<'a> {
        let header = &program.header;
        let world = World::new(&program.name, header, SEED);
        let mut subject = Subject { program, world, wanted: None };
        if program.is_compute() && header.compare != Compare::Translated {
            let words = program.spirv(Stage::Comp).unwrap_or_else(|e| panic!("{e}"));
            let job = |things: &mut Things<'_>| -> device::Result<_> {
                let bindings = things.original()?;
                let groups = header.groups;
                let push = header.pushed(|at| things.address(at));
                let job =
                    Dispatch { words: &words, bindings: &bindings, push: &push, constants: &header.constants, groups };
                // SAFETY: the descriptors and push constants are those that the header says the shader has.
                unsafe { things.run(&job) }
            };
            let wanted = Things::new(gpu, header, &subject.world, false).and_then(|mut things| job(&mut things));
            subject.wanted =
                Some(wanted.unwrap_or_else(|e| panic!("{} does not run on {}: {e}", program.name, gpu.name)));
        }
        subject
    }

    /// Whether what SPIRV-Cross says against a translation is what Metal lacks. The renderer refuses such shaders there, by name.
    fn lacked_by_metal(&self, why: &str) -> bool {
        let name = self.program.name.as_str();
        match () {
            () if why.contains("64-bit atomics") => name == "int64_atomics",
            // Streams are written by lanes that tell each other where.
            () if why.contains("Subgroup builtins are not available in this type of function") => {
                name.contains("stream")
            }
            () => false,
        }
    }

    /// Translates what a compiler made of it, and compares what it does.
    ///
    /// # Errors
    /// The step at which it fails, and why.
    pub(crate) fn check(&self, gpu: &Gpu, shader: &Shader) -> Result<(), (Step, String)> {
        let world = self.world.with_code(shader);
        let translated = translate(self.program, shader, &world).map_err(|why| (Step::Translate, why))?;
        let options = Options { bindless: false, ..gpu.options };
        let mut written = translated.module.clone();
        assert!(afterimage_passes::guest_waves::run(&mut written, gpu.subgroup));
        let artifact = emit(&written, &options).map_err(|why| (Step::Translate, why.to_string()))?;
        judges::validate(&artifact.words).map_err(|why| (Step::Validate, why))?;
        judges::cross(&artifact.words)
            .or_else(|why| self.lacked_by_metal(&why).then_some(()).ok_or((Step::Validate, why)))?;
        if !self.program.is_compute() {
            return Ok(());
        }
        let header = &self.program.header;
        let guest = || interpret(&translated, &translated.module, MAX_WAVE, &world, header.groups);
        let smaller = || interpret(&translated, &written, gpu.subgroup, &world, header.groups);
        // What depends on the size of waves: the interpreter's are the guest's.
        let Some(wanted) = &self.wanted else {
            let wanted = guest().map_err(|why| (Step::Interpret, why))?;
            let same = smaller().and_then(|memory| compare(header, &memory, &wanted));
            same.map_err(|why| (Step::Interpret, format!("in waves of {}: {why}", gpu.subgroup)))?;
            let memory = run(gpu, header, &world, &translated, &artifact).map_err(|why| (Step::Run, why))?;
            return compare(header, &memory, &wanted).map_err(|why| (Step::Run, why));
        };
        let images =
            |resource: &afterimage_gcn_corpus::Resource| matches!(resource.kind, Kind::Image(_) | Kind::Texture(..));
        let driver_is_right = self.program.name != "double_rounding" || gpu.rounds_doubles();
        if driver_is_right && !header.resources.iter().any(images) {
            // In the interpreter, waves do not wait for each other at barriers; where they are brought in step they do.
            let lanes: u32 = written.group.iter().product();
            let memory = if written.guest_waves && lanes > MAX_WAVE { smaller() } else { guest() };
            let same = memory.and_then(|memory| compare(header, &memory, wanted));
            same.map_err(|why| (Step::Interpret, why))?;
        }
        let memory = run(gpu, header, &world, &translated, &artifact).map_err(|why| (Step::Run, why))?;
        compare(header, &memory, wanted).map_err(|why| (Step::Run, why))
    }
}

/// Runs a translation by the shader ABI (docs/architecture.md), and gives what the resources hold then.
fn run(
    gpu: &Gpu,
    header: &Header,
    world: &World,
    shader: &Translated,
    artifact: &Artifact,
) -> Result<Vec<Vec<u32>>, String> {
    let say = |e: vk::Result| e.to_string();
    let mut things = Things::new(gpu, header, world, true).map_err(say)?;
    let reflection = &artifact.reflection;
    let constants = shader.constants(&reflection.segments, &|bound| {
        within(&world.places, bound).map_or((0, 0), |(place, offset, bytes)| (things.address(place) + offset, bytes))
    });
    let (constants, address) = gpu.registers(&constants).map_err(say)?;
    let mut push = [0; PUSH];
    push[2..4].copy_from_slice(&[address as u32, (address >> 32) as u32]);
    let bindings = bindings(&mut things, world, shader, artifact)?;
    let job =
        Dispatch { words: &artifact.words, bindings: &bindings, push: &push, constants: &[], groups: header.groups };
    // SAFETY: `spirv-val` took the shader; buffers are checked by it against the sizes in the constants.
    let memory = unsafe { things.run(&job) }.map_err(say);
    gpu.free(constants);
    memory
}

/// Descriptors of the textures, samplers and storage images that a translation uses.
fn bindings(
    things: &mut Things<'_>,
    world: &World,
    shader: &Translated,
    artifact: &Artifact,
) -> Result<Vec<Binding>, String> {
    let say = |e: vk::Result| e.to_string();
    let resource = |address: u64| {
        let place = world.places.iter().find(|place| place.address == address && place.resource.is_some());
        place.and_then(|place| place.resource).ok_or_else(|| format!("no image is at {address:#x}"))
    };
    let mut bindings: Vec<Binding> = Vec::new();
    let mut samplers = Vec::new();
    for used in &artifact.reflection.textures {
        let slot = usize::from(used.slot - TEXTURE_SLOTS);
        let texture = shader.resources.textures.get(slot).ok_or("a texture has no slot")?;
        let at = resource(shader.image_address(texture.image))?;
        let view = things.view(at, used.dim.is_array()).ok_or("a texture is no image")?.map_err(say)?;
        let sampler = things.sampler(at).map_err(say)?;
        let binding = match used.dim {
            Dim::D2 => 0,
            Dim::Cube => 1,
            Dim::D3 => 2,
            Dim::D2Array => 4,
            Dim::CubeArray => 5,
            Dim::D2Ms => 6,
            Dim::D2MsArray => 7,
        };
        let bind = || Bind::Image(vk::DescriptorType::SAMPLED_IMAGE, view, vk::Sampler::null());
        let array = match bindings.iter().position(|old| old.binding == binding) {
            Some(array) => array,
            None => {
                let elements = (0..SLOTS).map(|_| bind()).collect();
                bindings.push(Binding { set: 0, binding, elements });
                bindings.len() - 1
            }
        };
        bindings[array].elements[slot] = bind();
        samplers.push((slot, sampler));
    }
    if let Some(&(_, first)) = samplers.first() {
        let bind = |sampler| Bind::Image(vk::DescriptorType::SAMPLER, vk::ImageView::null(), sampler);
        let mut elements: Vec<Bind> = (0..SLOTS).map(|_| bind(first)).collect();
        for (slot, sampler) in samplers {
            elements[slot] = bind(sampler);
        }
        bindings.push(Binding { set: 0, binding: 3, elements });
    }
    for used in &artifact.reflection.images {
        let slot = used.decl.slot;
        let image = *shader.resources.storage_images.get(usize::from(slot)).ok_or("a storage image has no slot")?;
        let at = resource(shader.image_address(image))?;
        let view = things.view(at, true).ok_or("a storage image is no image")?.map_err(say)?;
        let bind = Bind::Image(vk::DescriptorType::STORAGE_IMAGE, view, vk::Sampler::null());
        bindings.push(Binding { set: 1, binding: slot.into(), elements: vec![bind] });
    }
    Ok(bindings)
}
