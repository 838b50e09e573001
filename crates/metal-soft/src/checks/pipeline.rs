//! Functions and pipelines.

use afterimage_metal_calls::{
    BlendFactor, Class, Facts, PixelFormat, RenderPipelineDescriptor, StepFunction, TopologyClass, VertexDescriptor,
    VertexFormat,
};

use super::Faults;
use crate::device::SoftDevice;
use crate::objects::{Links, SoftFunction};
use crate::text::{Access, Interface, Scalar, Stage};

/// What a function itself may have. The faults are those of a compiler.
pub(crate) fn function(facts: &Facts, of: &Interface) -> Vec<String> {
    let mut faults = Faults::default();
    let limits = &facts.limits;
    let mut seen: Vec<(&str, u32)> = Vec::new();
    let mut table = |faults: &mut Faults, table: &'static str, index: u32, name: &str, most: u32| {
        faults.must(index < most, || format!("`{name}`: {table} index {index} is not less than {most}"));
        faults.must(!seen.contains(&(table, index)), || format!("`{name}`: {table} index {index} is used twice"));
        seen.push((table, index));
    };
    for buffer in &of.buffers {
        table(&mut faults, "buffer", buffer.index, &buffer.name, limits.buffers);
    }
    for texture in &of.textures {
        for n in 0..texture.count.min(limits.textures + 1) {
            table(&mut faults, "texture", texture.index + n, &texture.name, limits.textures);
        }
        faults.must(!(texture.depth && matches!(texture.access, Access::Write | Access::ReadWrite)), || {
            format!("`{}`: depth textures cannot be written", texture.name)
        });
    }
    for (index, name, _) in &of.samplers {
        table(&mut faults, "sampler", *index, name, limits.samplers);
    }
    for attribute in &of.attributes {
        table(&mut faults, "attribute", attribute.location, &attribute.name, limits.vertex_attributes);
    }
    let inputs = of.inputs.len() as u32;
    faults.must(inputs <= limits.fragment_inputs, || {
        format!("{inputs} fragment inputs are more than {}", limits.fragment_inputs)
    });
    let clip = of.clip_distances;
    faults.must(clip <= limits.clip_distances, || {
        format!("{clip} clip distances are more than {}", limits.clip_distances)
    });
    let fetch = !of.color_inputs.is_empty() && !facts.family.is_apple();
    faults.must(!fetch, || "[[color(n)]] inputs are there on Apple's GPUs only".to_owned());
    let position = of.stage != Stage::Vertex || of.position || !of.returns;
    faults.must(position, || "the vertex function returns something, but no position".to_owned());
    faults.0
}

/// What formats of attributes are to shaders.
const fn scalar_of(format: VertexFormat) -> Scalar {
    match format {
        VertexFormat::UChar4 | VertexFormat::UInt => Scalar::UInt,
        VertexFormat::Short2 | VertexFormat::Short4 => Scalar::Int,
        _ => Scalar::Float,
    }
}

fn vertex_input(faults: &mut Faults, facts: &Facts, of: &VertexDescriptor, function: &Interface) {
    let limits = &facts.limits;
    for attribute in &of.attributes {
        let n = attribute.location;
        faults.must(n < limits.vertex_attributes, || {
            format!("attribute {n} is not less than {}", limits.vertex_attributes)
        });
        faults.must(of.attributes.iter().filter(|a| a.location == n).count() == 1, || {
            format!("attribute {n} is there twice")
        });
        faults.must(attribute.offset.is_multiple_of(4), || {
            format!("attribute {n}: offset {} is no multiple of 4", attribute.offset)
        });
        let layout = of.layouts.iter().find(|l| l.buffer == attribute.buffer);
        faults.must(layout.is_some(), || format!("attribute {n}: there is no layout for buffer {}", attribute.buffer));
        if let Some(layout) = layout {
            let end = u64::from(attribute.offset) + u64::from(attribute.format.bytes());
            faults.must(end <= u64::from(layout.stride), || {
                format!(
                    "attribute {n}: offset {} and its bytes are beyond the stride {}",
                    attribute.offset, layout.stride
                )
            });
        }
    }
    for layout in &of.layouts {
        let (n, stride) = (layout.buffer, layout.stride);
        faults.must(n < limits.buffers, || format!("layout of buffer {n}, which is not less than {}", limits.buffers));
        faults.must(of.layouts.iter().filter(|l| l.buffer == n).count() == 1, || format!("buffer {n} has two layouts"));
        let used = of.attributes.iter().any(|a| a.buffer == n);
        faults.must(used, || format!("None of the attributes set bufferIndex to {n}, which has a layout"));
        faults.must(stride > 0, || format!("the stride of buffer {n} is 0"));
        faults.must(stride <= limits.vertex_stride && stride.is_multiple_of(limits.vertex_stride_step), || {
            format!(
                "the stride of buffer {n} ({stride}) is no multiple of {} up to {}",
                limits.vertex_stride_step, limits.vertex_stride
            )
        });
        faults.must(layout.step != StepFunction::PerInstance(0), || format!("the stepRate of buffer {n} is 0"));
        let argument = function.buffers.iter().find(|b| b.index == n);
        faults
            .must(argument.is_none(), || format!("buffer {n} has a layout, and is an argument of the vertex function"));
    }
    for wanted in &function.attributes {
        let found = of.attributes.iter().find(|a| a.location == wanted.location);
        faults.must(found.is_some(), || format!("vertex attribute {} (`{}`) is missing", wanted.location, wanted.name));
        if let Some(found) = found {
            let fits = match (scalar_of(found.format), wanted.ty.scalar) {
                (_, Scalar::Float) => true,
                (have, want) => have == want,
            };
            faults.must(fits, || {
                format!("vertex attribute {}: {:?} cannot be read as `{}`", wanted.location, found.format, wanted.name)
            });
        }
    }
}

/// Links, by the names of what the vertex function gives.
fn link(faults: &mut Faults, vertex: &Interface, fragment: &Interface) -> Links {
    let mut links = Links::new();
    for input in &fragment.inputs {
        match vertex.outputs.iter().position(|o| o.key == input.key) {
            Some(at) => {
                let same = vertex.outputs[at].ty == input.ty;
                faults.must(same, || {
                    format!("fragment input `{}` has another type than the vertex function's", input.key)
                });
                links.push(at);
            }
            None => faults.0.push(format!("fragment input `{}` is not an output of the vertex function", input.key)),
        }
    }
    links
}

const fn class_of(format: PixelFormat) -> Scalar {
    match format.class() {
        Class::UInt | Class::Stencil => Scalar::UInt,
        Class::Int => Scalar::Int,
        _ => Scalar::Float,
    }
}

fn colors(faults: &mut Faults, facts: &Facts, of: &RenderPipelineDescriptor<'_, SoftDevice>) {
    let most = facts.limits.targets as usize;
    faults.must(of.colors.len() <= most, || format!("{} colour attachments are more than {most}", of.colors.len()));
    for (n, target) in of.colors.iter().enumerate() {
        let Some(target) = target else { continue };
        let (caps, name) = (target.format.caps(facts), target.format.name());
        let color = !target.format.has_depth() && !target.format.has_stencil();
        faults
            .must(caps.render && color, || format!("colorAttachments[{n}].pixelFormat {name} is not color renderable"));
        faults.must(of.samples <= 1 || caps.multisample, || {
            format!("colorAttachments[{n}].pixelFormat {name} cannot be multisampled")
        });
        if let Some(blending) = target.blending {
            faults.must(caps.blend, || format!("colorAttachments[{n}].pixelFormat {name} is not blendable"));
            let second = |f: BlendFactor| {
                use BlendFactor::*;
                matches!(f, Source1Color | OneMinusSource1Color | Source1Alpha | OneMinusSource1Alpha)
            };
            let dual = blending.iter().any(|b| second(b.source) || second(b.destination));
            let given = of.fragment.is_some_and(|f| f.compiled.interface.colors.iter().any(|c| c.second));
            faults.must(!dual || given, || {
                format!("colorAttachments[{n}] blends with a second source that is not written")
            });
            faults
                .must(!dual || n == 0, || format!("colorAttachments[{n}]: only the first blends with a second source"));
        }
        if target.format == PixelFormat::RGB9E5Float {
            let masked = target.write.iter().any(|w| *w) && target.write[..3] != [true; 3];
            faults.must(!masked, || format!("colorAttachments[{n}]: channels of {name} cannot be masked one by one"));
        }
    }
}

/// The faults of a pipeline, and how its functions fit.
pub(crate) fn render_pipeline(facts: &Facts, of: &RenderPipelineDescriptor<'_, SoftDevice>) -> (Links, Vec<String>) {
    let mut faults = Faults::default();
    let vertex = &of.vertex.compiled.interface;
    let fragment = of.fragment.map(|f| &f.compiled.interface);
    faults.must(vertex.stage == Stage::Vertex, || format!("`{}` is no vertex function", vertex.name));
    vertex_input(&mut faults, facts, of.input, vertex);
    let mut links = Links::new();
    if let Some(fragment) = fragment {
        faults.must(fragment.stage == Stage::Fragment, || format!("`{}` is no fragment function", fragment.name));
        links = link(&mut faults, vertex, fragment);
        for color in fragment.colors.iter().filter(|c| !c.second) {
            match of.colors.get(color.target as usize).copied().flatten() {
                Some(target) => {
                    let fits = class_of(target.format) == color.ty.scalar;
                    faults
                        .must(fits, || format!("colour output {} does not fit {}", color.target, target.format.name()));
                }
                // Alpha that becomes coverage needs no target.
                None => faults.must(color.target == 0 && of.alpha_to_coverage, || {
                    format!("colour output {} has no attachment", color.target)
                }),
            }
        }
        let written = |n: usize| fragment.colors.iter().any(|c| c.target as usize == n);
        for (n, target) in of.colors.iter().enumerate() {
            if let Some(target) = target {
                faults.must(written(n) || target.write == [false; 4] || target.blending.is_none(), || {
                    format!("colorAttachments[{n}] blends what the fragment function does not write")
                });
            }
        }
        faults.must(!fragment.depth || of.depth.is_some(), || {
            "the fragment function writes depth, but there is none".to_owned()
        });
        faults.must(!fragment.stencil || of.stencil.is_some(), || {
            "the fragment function writes stencil, but there is none".to_owned()
        });
    }
    colors(&mut faults, facts, of);
    let none = of.colors.iter().all(Option::is_none) && of.depth.is_none() && of.stencil.is_none();
    let effects = fragment.is_some_and(|f| f.side_effects);
    faults.must(!none || !of.rasterization || effects || of.samples > 0 && fragment.is_some(), || {
        "No valid pixelFormats set".to_owned()
    });
    for (name, format, fits) in [
        ("depthAttachmentPixelFormat", of.depth, PixelFormat::has_depth as fn(PixelFormat) -> bool),
        ("stencilAttachmentPixelFormat", of.stencil, PixelFormat::has_stencil),
    ] {
        if let Some(format) = format {
            faults.must(fits(format) && format.caps(facts).render, || {
                format!("{name} {} is not renderable as such", format.name())
            });
        }
    }
    let packed = |f: PixelFormat| f.has_depth() && f.has_stencil();
    if of.depth.is_some_and(packed) || of.stencil.is_some_and(packed) {
        let same = of.depth == of.stencil || (of.depth.is_none() || of.stencil.is_none());
        faults
            .must(same || facts.family.is_apple(), || "depth and stencil are of one texture on this device".to_owned());
    }
    let known = of.samples.is_power_of_two() && facts.samples >> of.samples.trailing_zeros().min(31) & 1 == 1;
    faults.must(known, || format!("rasterSampleCount ({}) is not supported by this device", of.samples));
    faults.must(!of.rasterization || vertex.position, || "the vertex function returns no position".to_owned());
    if vertex.point_size {
        let points = matches!(of.topology, TopologyClass::Point | TopologyClass::Unspecified);
        faults
            .must(points, || format!("the vertex function has [[point_size]], but the topology is {:?}", of.topology));
    }
    for (given, name) in [(vertex.layer, "render_target_array_index"), (vertex.viewport, "viewport_array_index")] {
        let set = !given || of.topology != TopologyClass::Unspecified;
        faults.must(set, || format!("[[{name}]] needs inputPrimitiveTopology"));
    }
    if of.alpha_to_coverage {
        let written = fragment.is_some_and(|f| f.colors.iter().any(|c| c.target == 0 && c.ty.lanes == 4));
        faults.must(written, || "alphaToCoverage without alpha of colour output 0".to_owned());
    }
    (links, faults.0)
}

pub(crate) fn compute_pipeline(facts: &Facts, of: &SoftFunction) -> Vec<String> {
    let mut faults = Faults::default();
    let interface = &of.compiled.interface;
    faults.must(interface.stage == Stage::Kernel, || format!("`{}` is no kernel", interface.name));
    let most = facts.limits.threads;
    let threads = interface.max_threads.unwrap_or(most);
    faults.must((1..=most).contains(&threads), || {
        format!("max_total_threads_per_threadgroup ({threads}) is not 1 to {most}")
    });
    faults.0
}
