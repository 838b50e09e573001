//! Shaders that `crates/msl` wrote, drawn: each pixel is what the interpreter of the IR computes for it.

use std::fmt::Write as _;

use crate::kit::*;
use afterimage_interp::{Environment, Interpreter, LANES, SampleArgs};
use afterimage_ir::{
    BankDecl, BankSource, Dim, Input, InputAt, InputDecl, Interp, Kind, Module, Op, OutputAt, SpecDecl,
    Stage as IrStage, TextureDecl, generate, parse, verify,
};
use afterimage_metal_calls::*;
use afterimage_msl::{Artifact, Attribute as MslAttribute, Options, Source, emit};
use afterimage_passes::{FloatRules, float_rules, optimize};

/// What a shader reads: varyings that change evenly over the quad, constants, textures of one colour.
struct World(u32);

/// Where the quad's triangle has its corners, in pixels: at 0, 0, at 4, 0 and at 0, 4.
const CORNERS: [[f32; 2]; 3] = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];

impl World {
    /// A varying at a place in pixels: exact, wherever it is computed.
    fn varying(&self, location: u32, component: u32, [x, y]: [f32; 2]) -> f32 {
        let seed = (self.0 + location * 16 + component).wrapping_mul(0x9e37_79b1);
        let quarter = |at: u32| ((seed >> at & 15) as f32 - 7.0) / 4.0;
        quarter(28) + x * quarter(20) + y * quarter(12)
    }

    fn color(slot: u8) -> [f32; 4] {
        [f32::from(slot) / 4.0, 0.5, 1.0, -f32::from(slot)]
    }
}

fn is_flat(decl: &InputDecl) -> bool {
    decl.ty.kind != Kind::Float || decl.interp == Interp::Flat
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let at = [(lane & 1) as f32 + 0.5, (lane >> 1) as f32 + 0.5];
        match decl.at {
            InputAt::Location(n) => {
                let at = if is_flat(decl) { CORNERS[0] } else { at };
                [0, 1, 2, 3].map(|i| self.varying(n.into(), i, at).to_bits())
            }
            InputAt::FrontFacing => [1, 0, 0, 0],
            InputAt::FragCoord => [at[0], at[1], 0.25, 1.0].map(f32::to_bits),
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.source {
            BankSource::Stage | BankSource::System => {
                [0, 1, 2, 3].map(|i| (((self.0 + index * 5 + i) % 9) as f32 / 2.0 - 1.5).to_bits())
            }
            _ => [0, 1, 2, 3].map(|i| (index * 3 + i + self.0) % 7),
        }
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        match args.reference {
            // Compared with a depth of 0.5: less.
            Some(reference) => [f32::from(u8::from(reference < 0.5)); 4],
            None => Self::color(texture.slot),
        }
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        match decl.kind {
            _ if self.0.is_multiple_of(2) => decl.default,
            Kind::Float => 3.0f32.to_bits(),
            _ => 1,
        }
    }
}

/// Registers of constants as the text reads them.
fn constants(module: &Module, artifact: &Artifact, world: &World) -> Vec<u32> {
    let reflection = &artifact.reflection;
    let mut words = Vec::new();
    for segment in &reflection.segments {
        let decl = module.banks.iter().find(|b| b.source == BankSource::Stage && b.id == segment.bank).unwrap();
        for index in segment.first..segment.first + segment.count {
            let def = reflection.const_defs.iter().find(|d| (d.bank, d.index) == (segment.bank, index));
            words.extend(def.map_or_else(|| world.constant(decl, index), |d| d.bits));
        }
    }
    words
}

fn block(module: &Module, world: &World, is: impl Fn(&BankDecl) -> bool) -> Vec<u32> {
    let Some(decl) = module.banks.iter().filter(|b| is(b)).max_by_key(|b| b.size) else { return Vec::new() };
    (0..decl.size).flat_map(|index| decl.def(index).unwrap_or_else(|| world.constant(decl, index))).collect()
}

/// A vertex function that gives what the fragment function takes.
fn vertex_text(module: &Module, artifact: &Artifact) -> (String, Vec<(u32, u8)>) {
    let mut text =
        "#include <metal_stdlib>\nusing namespace metal;\nstruct Out {\n    float4 position [[position]];\n".to_owned();
    let mut body = String::new();
    let mut values = Vec::new();
    for binding in &artifact.bindings {
        let (MslAttribute::User(n), Source::Input(input)) = (binding.attribute, binding.source) else { continue };
        let decl = &module.inputs[Input::index(input)];
        let scalar = if decl.ty.kind == Kind::Float { "float" } else { "uint" };
        let ty = if decl.ty.lanes == 1 { scalar.to_owned() } else { format!("{scalar}{}", decl.ty.lanes) };
        let swizzle = &"xyzw"[..decl.ty.lanes as usize];
        let _ = writeln!(text, "    {ty} v{n} [[user(loc{n})]];");
        let at = format!("values[id * {{count}}u + {}u].{swizzle}", values.len());
        let _ = match scalar {
            "float" => writeln!(body, "    out.v{n} = {at};"),
            _ => writeln!(body, "    out.v{n} = as_type<{ty}>({at});"),
        };
        values.push((n, decl.ty.lanes));
    }
    let body = body.replace("{count}", &values.len().to_string());
    let _ = write!(
        text,
        "}};\nvertex Out corner(uint id [[vertex_id]], constant float4* values [[buffer(0)]])\n{{\n    Out out;\n{body}    \
         out.position = float4(id == 1 ? 3.0f : -1.0f, id == 2 ? -3.0f : 1.0f, 0.25f, 1.0f);\n    return out;\n}}\n"
    );
    (text, values)
}

fn format_of(kind: Kind) -> PixelFormat {
    if kind == Kind::Float { PixelFormat::RGBA32Float } else { PixelFormat::RGBA32Uint }
}

/// Draws a quad with a module, and compares.
fn check(kit: &mut Kit, name: &str, module: &Module, world: &World) -> bool {
    let artifact = emit(module, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}\n{module}"));
    let Ok(outcome) = Interpreter::new(module).unwrap().step_limit(100_000).run(world) else { return false };
    let (vertex, values) = vertex_text(module, &artifact);
    let specs: Vec<(u32, Constant)> = module
        .specs
        .iter()
        .filter(|s| world.spec(s) != s.default)
        .map(|s| {
            (
                s.id,
                match s.kind {
                    Kind::Bool => Constant::Bool(world.spec(s) != 0),
                    Kind::Float => Constant::Float(world.spec(s)),
                    _ => Constant::UInt(world.spec(s)),
                },
            )
        })
        .collect();
    let function = |source: &str, name, constants: &[(u32, Constant)]| {
        let made = kit.device.new_function(&FunctionDescriptor { source, name, constants, label: name });
        made.unwrap_or_else(|e| panic!("{e}\n{source}"))
    };
    let vertex = function(&vertex, "corner", &[]);
    let fragment = function(&artifact.source, "main0", &specs);
    let outputs: Vec<(usize, u32, Kind)> = module
        .outputs
        .iter()
        .enumerate()
        .filter_map(|(i, d)| match d.at {
            OutputAt::Location(n) => Some((i, u32::from(n), d.ty.kind)),
            _ => None,
        })
        .filter(|(_, n, _)| artifact.bindings.iter().any(|b| b.attribute == MslAttribute::Color(*n)))
        .collect();
    let count = outputs.iter().map(|(_, n, _)| n + 1).max().unwrap_or(0);
    let kind = |n: u32| outputs.iter().find(|o| o.1 == n).map(|o| o.2);
    let colors: Vec<Option<ColorTarget>> = (0..count).map(|n| kind(n).map(|k| plain_target(format_of(k)))).collect();
    let depth =
        artifact.bindings.iter().any(|b| b.attribute == MslAttribute::Depth).then_some(PixelFormat::Depth32Float);
    let targets: Vec<Option<Texture>> = (0..count).map(|n| kind(n).map(|k| kit.target(format_of(k), [2, 2]))).collect();
    let depth_target = depth.map(|format| kit.target(format, [2, 2]));
    if outputs.is_empty() {
        return false;
    }
    let pipeline = kit.device.new_render_pipeline(&RenderPipelineDescriptor {
        label: name,
        vertex: &vertex,
        fragment: Some(&fragment),
        input: &VertexDescriptor::default(),
        colors: &colors,
        depth,
        stencil: None,
        samples: 1,
        alpha_to_coverage: false,
        alpha_to_one: false,
        rasterization: true,
        topology: TopologyClass::Triangle,
    });
    let pipeline = pipeline.unwrap_or_else(|e| panic!("{name}: {e}\n{}", artifact.source));
    let at = |texture| Subresource { texture, level: 0, slice: 0, depth_plane: 0 };
    let (load, store) = (LoadAction::Clear([7.0; 4]), StoreAction::Store);
    let attachments: Vec<_> = targets
        .iter()
        .map(|t| t.as_ref().map(|t| ColorAttachment { target: at(t), resolve: None, load, store }))
        .collect();
    kit.queue.begin_render(&RenderPass {
        label: name,
        colors: &attachments,
        depth: depth_target.as_ref().map(|t| DepthAttachment {
            target: at(t),
            resolve: None,
            load: LoadAction::Clear(1.0),
            store,
        }),
        stencil: None,
        layers: 0,
        without_attachments: None,
        visibility: None,
    });
    kit.queue.set_render_pipeline(&pipeline);
    bind(kit, module, &artifact, world, &values);
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    kit.fine();
    let mut rounds = false;
    module.for_each_inst(|_, data| {
        rounds |= matches!(
            data.op,
            Op::FRsq | Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos | Op::FRsqC | Op::FLog2C | Op::FDot | Op::FDotZ
        );
    });
    for (index, n, kind) in outputs {
        let target = targets[n as usize].as_ref().unwrap();
        let bytes = kit.texels(target, [2, 2], 16, Aspect::All);
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        for lane in 0..LANES {
            for component in 0..module.outputs[index].ty.lanes as usize {
                let found = words[lane * 4 + component];
                let expected = match (outcome.demoted[lane], kind) {
                    (false, _) => outcome.outputs[index][lane][component],
                    (true, Kind::Float) => 7.0f32.to_bits(),
                    (true, _) => 7,
                };
                let [f, e] = [found, expected].map(f32::from_bits);
                let close = kind == Kind::Float
                    && (f.is_nan() && e.is_nan() || rounds && (f - e).abs() <= 1e-5 + e.abs() * 1e-4);
                assert!(
                    found == expected || close,
                    "{name}: target {n}, lane {lane}, component {component}: {f} ({found:#x}), not {e} ({expected:#x})\n{module}\n{}",
                    artifact.source
                );
            }
        }
    }
    true
}

fn bind(kit: &mut Kit, module: &Module, artifact: &Artifact, world: &World, values: &[(u32, u8)]) {
    let mut floats = Vec::new();
    for corner in CORNERS {
        for (location, _) in values {
            floats.extend([0, 1, 2, 3].map(|i| world.varying(*location, i, corner)));
        }
    }
    if !floats.is_empty() {
        let buffer = kit.floats(&floats);
        kit.queue.set_buffer(Stage::Vertex, 0, &buffer, 0);
    } else {
        kit.queue.set_bytes(Stage::Vertex, 0, &[0; 16]);
    }
    for binding in &artifact.bindings {
        let words = match binding.source {
            Source::Constants => constants(module, artifact, world),
            Source::System => block(module, world, |b| b.source == BankSource::System),
            Source::Feedback => block(module, world, |b| b.source == BankSource::Feedback),
            Source::Storage(id) => block(module, world, |b| b.source == BankSource::Storage && b.id == id),
            Source::Texture(slot) => {
                texture(kit, module, slot);
                continue;
            }
            _ => continue,
        };
        if let MslAttribute::Buffer(n) = binding.attribute {
            let buffer = kit.words(&words);
            kit.queue.set_buffer(Stage::Fragment, n, &buffer, 0);
        }
    }
}

/// A texture of one colour, and a sampler that compares.
fn texture(kit: &mut Kit, module: &Module, slot: u8) {
    let decl = module.textures.iter().find(|t| t.slot == slot).unwrap();
    let ty = match decl.dim {
        Dim::Cube => TextureType::Cube,
        Dim::D3 => TextureType::D3,
        _ => TextureType::D2,
    };
    let format = if decl.shadow { PixelFormat::Depth32Float } else { PixelFormat::RGBA32Float };
    let texture = kit.texture(format, [1, 1], |d| d.ty = ty);
    let color = if decl.shadow { vec![0.5] } else { World::color(slot).to_vec() };
    let bytes: Vec<u8> = color.iter().flat_map(|c| c.to_le_bytes()).collect();
    // A queue of its own, since the kit's has an encoder open.
    let mut queue = kit.device.new_queue("fill").unwrap();
    let buffer = kit.buffer(&bytes);
    queue.begin_blit("fill");
    for slice in 0..if ty == TextureType::Cube { 6 } else { 1 } {
        let layout = BufferLayout { offset: 0, bytes_per_row: 16, bytes_per_image: 0 };
        let region = Region { slice, level: 0, origin: [0; 3], size: [1; 3] };
        queue.copy_buffer_to_texture(
            &buffer,
            BufferLayout { bytes_per_row: bytes.len() as u64, ..layout },
            &texture,
            region,
            Aspect::All,
        );
    }
    queue.end_encoding();
    queue.commit();
    assert!(queue.faults().is_empty());
    let sampler = kit.device.new_sampler(&SamplerDescriptor {
        min: Filter::Linear,
        mag: Filter::Nearest,
        mip: MipFilter::Linear,
        address: [AddressMode::Repeat; 3],
        border: BorderColor::TransparentBlack,
        anisotropy: 1,
        lod: [0f32.to_bits(), 1000f32.to_bits()],
        compare: Some(CompareFunction::Less),
    });
    kit.queue.set_texture(Stage::Fragment, u32::from(slot), &texture);
    kit.queue.set_sampler(Stage::Fragment, u32::from(slot), &sampler.unwrap());
}

#[test]
fn shaders_of_the_file_tests() {
    if !there_is_clang() {
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../msl/tests/filetests");
    let mut kit = Kit::new();
    let mut drawn = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let module = parse(text.split("; ---- expected").next().unwrap()).unwrap();
        if module.stage == IrStage::Pixel {
            verify(&module).unwrap();
            for world in [0, 1] {
                if check(&mut kit, &name, &module, &World(world)) {
                    drawn.push(name.clone());
                }
            }
        }
    }
    assert!(drawn.len() >= 10, "{drawn:?}");
}

#[test]
fn random_shaders() {
    if !there_is_clang() {
        return;
    }
    let mut seed = 0x0123_4567_89ab_cdefu64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 24) as u8
    };
    let mut kit = Kit::new();
    let mut drawn = 0;
    for round in 0..24 {
        let bytes: Vec<u8> = (0..2500).map(|_| next()).collect();
        let mut module = generate(IrStage::Pixel, &bytes);
        if round % 3 == 0 {
            float_rules::run(&mut module, FloatRules::Strict);
        } else {
            optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        }
        verify(&module).unwrap();
        drawn += u32::from(check(&mut kit, &format!("round {round}"), &module, &World(round)));
    }
    assert!(drawn >= 12, "{drawn}");
}

/// Memory that kernels reach, at the address that it has on the device.
struct Words {
    base: u64,
    words: Vec<std::cell::Cell<u32>>,
}

impl Words {
    fn word(&self, address: u64) -> &std::cell::Cell<u32> {
        let at = address.checked_sub(self.base).map(|offset| offset as usize / 4);
        at.and_then(|at| self.words.get(at)).unwrap_or_else(|| panic!("nothing is at {address:#x}"))
    }
}

impl Environment for Words {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.source {
            BankSource::Stage => [self.base as u32, (self.base >> 32) as u32, 0, 0],
            _ => [0, 1, 2, 3].map(|i| (index * 3 + i) % 7),
        }
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        self.word(address).get()
    }

    fn store(&self, address: u64, word: u32) {
        self.word(address).set(word);
    }
}

#[test]
fn a_kernel() {
    if !there_is_clang() {
        return;
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../msl/tests/filetests/kernel.air");
    let text = std::fs::read_to_string(path).unwrap();
    let module = parse(text.split("; ---- expected").next().unwrap()).unwrap();
    let artifact = emit(&module, &Options::default()).unwrap();
    let mut kit = Kit::new();
    let before: Vec<u32> = (0..64).map(|n| n * 3).collect();
    let memory = kit.words(&before);
    let base = kit.device.gpu_address(&memory);
    let world = Words { base, words: before.iter().map(|w| std::cell::Cell::new(*w)).collect() };
    let groups = [3, 1, 2];
    let interpreter = Interpreter::new(&module).unwrap().whole_barriers();
    for z in 0..groups[2] {
        for x in 0..groups[0] {
            let group = afterimage_interp::Group { id: [x, 0, z], count: groups, wave: 32 };
            interpreter.run_group(&world, group).unwrap();
        }
    }
    let source = &artifact.source;
    let function =
        kit.device.new_function(&FunctionDescriptor { source, name: "main0", constants: &[], label: "kernel" });
    let pipeline = kit.device.new_compute_pipeline(&function.unwrap(), "kernel").unwrap();
    kit.queue.begin_compute("kernel");
    kit.queue.set_compute_pipeline(&pipeline);
    for binding in &artifact.bindings {
        let MslAttribute::Buffer(n) = binding.attribute else { continue };
        let is = |b: &&BankDecl| match binding.source {
            Source::Constants => b.source == BankSource::Stage,
            Source::Feedback => b.source == BankSource::Feedback,
            _ => b.source == BankSource::Storage,
        };
        let bank = module.banks.iter().find(is).unwrap();
        let words: Vec<u32> = (0..bank.size).flat_map(|index| world.constant(bank, index)).collect();
        let buffer = kit.words(&words);
        kit.queue.set_buffer(Stage::Kernel, n, &buffer, 0);
    }
    kit.queue.use_buffer(Stage::Kernel, &memory, true);
    kit.queue.dispatch(groups, module.group);
    kit.end();
    kit.fine();
    let expected: Vec<u32> = world.words.iter().map(std::cell::Cell::get).collect();
    assert_ne!(expected, before);
    assert_eq!(kit.words_of(&memory, 64), expected);
}
