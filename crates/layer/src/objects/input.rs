//! Vertex input as lowered shaders have it.

use afterimage_feedback::{AttributeSource, formats};
use ash::vk;

/// How a binding is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) binding: u32,
    pub(crate) stride: u32,
    /// Instances after which the next vertex is read, if it is not read for each vertex.
    pub(crate) divisor: Option<u32>,
}

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) location: u32,
    pub(crate) binding: u32,
    pub(crate) format: vk::Format,
    pub(crate) offset: u32,
}

/// Bindings and attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) attributes: Vec<Attribute>,
}

impl Input {
    /// Of a pipeline.
    ///
    /// # Safety
    /// The structure is the program's, for vkCreateGraphicsPipelines.
    pub(crate) unsafe fn of(info: &vk::PipelineVertexInputStateCreateInfo<'_>) -> Self {
        // SAFETY: as the caller says.
        let (bindings, attributes, divisors) = unsafe {
            let divisors = crate::chain::find::<vk::PipelineVertexInputDivisorStateCreateInfoKHR<'_>>(info.p_next);
            (
                list(info.p_vertex_binding_descriptions, info.vertex_binding_description_count),
                list(info.p_vertex_attribute_descriptions, info.vertex_attribute_description_count),
                divisors.map_or(&[][..], |d| list(d.p_vertex_binding_divisors, d.vertex_binding_divisor_count)),
            )
        };
        let divisor = |binding: &vk::VertexInputBindingDescription| {
            (binding.input_rate == vk::VertexInputRate::INSTANCE).then(|| {
                let said = divisors.iter().find(|divisor| divisor.binding == binding.binding);
                said.map_or(1, |divisor| divisor.divisor)
            })
        };
        Self {
            bindings: bindings
                .iter()
                .map(|b| Binding { binding: b.binding, stride: b.stride, divisor: divisor(b) })
                .collect(),
            attributes: attributes
                .iter()
                .map(|a| Attribute { location: a.location, binding: a.binding, format: a.format, offset: a.offset })
                .collect(),
        }
    }

    /// As the lowering has it.
    ///
    /// # Errors
    /// What cannot be read.
    pub(crate) fn sources(&self) -> Result<Vec<AttributeSource>, String> {
        let source = |a: &Attribute| {
            let binding = self.bindings.iter().find(|b| b.binding == a.binding);
            let binding = binding.ok_or_else(|| format!("attribute {} has no binding", a.location))?;
            let format = formats::by_number(a.format.as_raw() as u32);
            let format = format.ok_or_else(|| format!("attribute {} has format {:?}", a.location, a.format))?;
            let small = |what, number: u32| u8::try_from(number).map_err(|_| format!("{what} {number}"));
            Ok(AttributeSource {
                location: small("location", a.location)?,
                format,
                slot: small("binding", a.binding)?,
                offset: a.offset,
                divisor: binding.divisor,
            })
        };
        self.attributes.iter().map(source).collect()
    }
}

/// # Safety
/// There are so many.
unsafe fn list<'a, T>(from: *const T, count: u32) -> &'a [T] {
    // SAFETY: as the caller says.
    if count == 0 || from.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(from, count as usize) } }
}
