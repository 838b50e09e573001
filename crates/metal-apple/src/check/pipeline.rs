//! Render pipelines.

use super::Faults;
use super::pass::is_depth_stencil;
use super::resource::has_samples;
use afterimage_metal_calls::{ColorTarget, Facts, Family, Layout, PixelFormat, Result, StepFunction, VertexDescriptor};
use std::collections::HashSet;

/// Formats and samples of a pass or a pipeline: both have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formats {
    pub(crate) colors: [Option<PixelFormat>; 8],
    pub(crate) depth: Option<PixelFormat>,
    pub(crate) stencil: Option<PixelFormat>,
    pub(crate) samples: u32,
}

impl Formats {
    /// What another has that this does not.
    pub(crate) fn differs(&self, other: &Self) -> String {
        let name = |format: Option<PixelFormat>| format.map_or("none", PixelFormat::name);
        let mut faults = Faults::default();
        for (number, (here, there)) in self.colors.iter().zip(&other.colors).enumerate() {
            faults.unless(here == there, || format!("color {number} is {}, not {}", name(*there), name(*here)));
        }
        for (what, here, there) in [("depth", self.depth, other.depth), ("stencil", self.stencil, other.stencil)] {
            faults.unless(here == there, || format!("{what} is {}, not {}", name(there), name(here)));
        }
        faults.unless(self.samples == other.samples, || format!("{} samples, not {}", other.samples, self.samples));
        faults.joined().err().unwrap_or_default()
    }
}

/// `newRenderPipelineStateWithDescriptor:error:`, without what its functions are. What passes it can be used in.
pub(crate) fn render_pipeline(
    input: &VertexDescriptor,
    colors: &[Option<ColorTarget>],
    mut formats: Formats,
    [rasterization, fragment]: [bool; 2],
    facts: &Facts,
) -> Result<Formats> {
    let mut faults = Faults::default();
    vertices(input, facts, &mut faults);
    let most = formats.colors.len();
    faults.unless(colors.len() <= most, || format!("{} colors, not up to {most}", colors.len()));
    for (number, target) in colors.iter().enumerate().take(most) {
        let Some(target) = target else { continue };
        formats.colors[number] = Some(target.format);
        let (caps, name) = (target.format.caps(facts), target.format.name());
        faults.unless(caps.render && !is_depth_stencil(target.format), || format!("color {number} of {name}"));
        faults.unless(target.blending.is_none() || caps.blend, || format!("color {number}: {name} is not blended"));
    }
    for (what, format, has) in [
        ("depth", formats.depth, PixelFormat::has_depth as fn(PixelFormat) -> bool),
        ("stencil", formats.stencil, PixelFormat::has_stencil),
    ] {
        let fits = format.is_none_or(|format| has(format) && format.caps(facts).render);
        faults.unless(fits, || format!("{what} of {}", format.map_or("none", PixelFormat::name)));
    }
    if let (Family::Mac2, Some(depth), Some(stencil)) = (facts.family, formats.depth, formats.stencil) {
        faults.unless(depth == stencil, || format!("depth of {}, stencil of {}", depth.name(), stencil.name()));
    }
    let samples = formats.samples;
    faults.unless(has_samples(facts, samples), || format!("the device has no {samples} samples"));
    let attached = formats.colors.into_iter().chain([formats.depth, formats.stencil]).flatten();
    for format in attached.clone() {
        let has = samples == 1 || format.caps(facts).multisample;
        faults.unless(has, || format!("{} has no samples", format.name()));
    }
    // A fragment function without targets may write to buffers.
    faults.unless(!rasterization || fragment || attached.count() > 0, || {
        "rasterization without a valid format or a fragment function".into()
    });
    faults.done("newRenderPipelineStateWithDescriptor")?;
    Ok(formats)
}

/// `MTLVertexDescriptor`.
fn vertices(input: &VertexDescriptor, facts: &Facts, faults: &mut Faults) {
    let limits = &facts.limits;
    let mut layouts = HashSet::new();
    for layout in &input.layouts {
        let Layout { buffer, stride, step } = *layout;
        faults.unless(buffer < limits.buffers, || format!("layout {buffer} of {}", limits.buffers));
        faults.unless(layouts.insert(buffer), || format!("layout {buffer} twice"));
        let (unit, most) = (limits.vertex_stride_step, limits.vertex_stride);
        faults.unless((1..=most).contains(&stride) && stride.is_multiple_of(unit), || {
            format!("layout {buffer}: stride {stride} is not 1 to {most} in steps of {unit}")
        });
        faults.unless(step != StepFunction::PerInstance(0), || format!("layout {buffer}: a step of 0 instances"));
        let used = input.attributes.iter().any(|attribute| attribute.buffer == buffer);
        faults.unless(used, || format!("no attribute reads layout {buffer}"));
    }
    let mut locations = HashSet::new();
    for attribute in &input.attributes {
        let (location, most) = (attribute.location, limits.vertex_attributes);
        faults.unless(location < most, || format!("attribute {location} of {most}"));
        faults.unless(locations.insert(location), || format!("attribute {location} twice"));
        let offset = attribute.offset;
        faults.unless(offset.is_multiple_of(4), || format!("attribute {location}: offset {offset}, no multiple of 4"));
        let Some(layout) = input.layouts.iter().find(|layout| layout.buffer == attribute.buffer) else {
            faults.unless(false, || format!("attribute {location} without layout {}", attribute.buffer));
            continue;
        };
        let size = attribute.format.bytes();
        faults.unless(super::fits(offset.into(), size.into(), layout.stride.into()), || {
            format!("attribute {location}: {size} bytes at {offset} of {}", layout.stride)
        });
    }
}
