//! Choosing the variants of the bound shaders.

use crate::pipeline::captures::{Captured, Stages};
use crate::pipeline::emitting::{Emitter, Emitting};
use crate::pipeline::key::Topology as Class;
use crate::renderer::Renderer;
use crate::resources::sampler::Sampler;
use crate::resources::texture::{Shape, Texture};
use afterimage_abi::slots::FIRST_VERTEX_TEXTURE;
use afterimage_metal_calls::Device;
use afterimage_shader::feedback::table::Provoking;
use afterimage_shader::feedback::{Made, Options};
use afterimage_shader::msl::Samplers;
use afterimage_shader::{Drawing, RuntimeInfo, bound};
use afterimage_stream::packets::{BlendOp, SetBlend, Swizzle, TextureBinding};
use afterimage_stream::{Host, ObjectId, TEXTURE_SLOTS};

/// Variants for the present state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) vertex: u32,
    pub(crate) pixel: Option<u32>,
}

/// Whether draws must be drawn in two parts, since no device reads what it blends as signed.
pub(crate) fn draws_in_parts(blend: &SetBlend) -> bool {
    blend.enable != 0 && blend.logic_op == 0 && BlendOp::of(blend.color_op).is_signed()
}

/// The stage of a texture slot, 0 or 1 as everywhere, and its bit among those of the stage.
pub(crate) fn sampler_bit(slot: usize) -> (usize, u32) {
    match slot.checked_sub(FIRST_VERTEX_TEXTURE) {
        Some(own) => (0, 1 << own),
        None => (1, 1 << slot),
    }
}

/// What shaders are compiled for where a texture and a sampler are bound; `before` is what it was for the slot.
#[inline]
pub(crate) fn shape_of<D: Device>(texture: Option<&Texture<D>>, sampler: Option<&Sampler<D>>, before: u8) -> u8 {
    // Projection is a matter of the pixel operations.
    let projected = before & bound::PROJECTED;
    // There is nothing of every shape: what was compiled for the texture before serves.
    let Some(texture) = texture else { return projected | before & bound::KIND };
    let mut shape = match texture.shape() {
        Shape::Cube | Shape::CubeArray => bound::CUBE,
        Shape::D3 => bound::D3,
        Shape::D2 | Shape::D2Array | Shape::D2Ms => bound::D2,
    };
    if let Some(sampler) = sampler {
        if texture.format.is_depth() && sampler.desc.compare_enable != 0 {
            shape |= bound::SHADOW;
        }
        if shape == bound::D2 && sampler.desc.gather != 0 {
            shape |= bound::FETCH4;
            let [red, .., alpha] = texture.desc.swizzle;
            if red != Swizzle::Red as u8 && alpha == Swizzle::Red as u8 {
                shape |= bound::FETCH4_ALPHA;
            }
        }
    }
    shape | projected
}

/// What shaders make of a sampler and of a texture: a bias, a border, a filter, a swizzle.
#[inline]
pub(crate) fn made_of<D: Device>(texture: Option<&Texture<D>>, sampler: Option<&Sampler<D>>) -> [bool; 4] {
    let [biased, bordered, reduced] =
        sampler.map_or([false; 3], |sampler| [sampler.biased, sampler.white.is_some(), sampler.reduced]);
    [biased, bordered, reduced, texture.is_some_and(Texture::is_spread)]
}

/// The same as it was chosen for a texture of a stage.
#[inline]
pub(crate) fn chosen(Samplers { biased, bordered, reduced, spread }: Samplers, bit: u32) -> [bool; 4] {
    [biased, bordered, reduced, spread].map(|bits| bits & bit != 0)
}

impl<D: Device> Renderer<D> {
    /// What shaders are compiled for where this is bound; `before` is what it was for the slot.
    fn shape_of(&self, slot: usize, before: u8) -> u8 {
        let binding = self.state.textures[slot];
        let texture = self.resources.textures.get(binding.texture).filter(|_| !binding.texture.is_none());
        shape_of(texture, self.resources.samplers.get(binding.sampler), before)
    }

    /// Whether what is bound has the shapes, and the samplers what shaders make of them, that the variants were chosen for.
    pub(crate) fn keeps_shapes(&self) -> bool {
        let shapes = &self.bound.runtime.textures;
        (0..TEXTURE_SLOTS).all(|slot| self.shape_of(slot, shapes[slot]) == shapes[slot] && self.keeps_sampler(slot))
    }

    /// What shaders make of what is bound to a slot.
    fn made_of(&self, binding: TextureBinding) -> [bool; 4] {
        if !self.resources.made_samplers {
            return [false; 4];
        }
        let texture = self.resources.textures.get(binding.texture).filter(|_| !binding.texture.is_none());
        made_of(texture, self.resources.samplers.get(binding.sampler))
    }

    fn keeps_sampler(&self, slot: usize) -> bool {
        let (stage, bit) = sampler_bit(slot);
        self.made_of(self.state.textures[slot]) == chosen(self.bound.samplers[stage], bit)
    }

    /// What shaders of a stage make of the samplers that are bound.
    pub(crate) fn samplers_of(&self, bindings: &[TextureBinding]) -> Samplers {
        let mut samplers = Samplers::default();
        for (slot, binding) in bindings.iter().enumerate() {
            let [biased, bordered, reduced, spread] = self.made_of(*binding);
            samplers.biased |= u32::from(biased) << slot;
            samplers.bordered |= u32::from(bordered) << slot;
            samplers.reduced |= u32::from(reduced) << slot;
            samplers.spread |= u32::from(spread) << slot;
        }
        samplers
    }

    /// Whether lookups give four somewhere.
    pub(crate) fn has_halves(&self) -> bool {
        self.bound.runtime.textures.iter().any(|shape| shape & bound::FETCH4 != 0)
    }

    /// Half a texel of each pixel slot whose lookups give four.
    pub(crate) fn halves(&self) -> [[f32; 2]; 16] {
        std::array::from_fn(|slot| {
            let texture = self.resources.textures.get(self.state.textures[slot].texture);
            match texture {
                Some(texture) if self.bound.runtime.textures[slot] & bound::FETCH4 != 0 => {
                    [0.5 / texture.desc.width as f32, 0.5 / texture.desc.height as f32]
                }
                _ => [0.0; 2],
            }
        })
    }

    /// State around the shaders, for a class of primitives.
    fn runtime(&mut self, class: Class) -> RuntimeInfo {
        let points = class == Class::Point;
        let changed = self.state.tracker.take_instances(Host::TEXTURE, u64::MAX);
        for slot in (0..TEXTURE_SLOTS).filter(|slot| changed >> slot & 1 != 0) {
            self.bound.runtime.textures[slot] = self.shape_of(slot, self.bound.runtime.textures[slot]);
        }
        if self.resources.made_samplers {
            // No shape changes where another sampler is bound.
            let textures = *self.state.textures.all();
            let (pixel, vertex) = textures.split_at(FIRST_VERTEX_TEXTURE);
            self.bound.samplers = [self.samplers_of(vertex), self.samplers_of(pixel)];
        }
        let mut runtime = self.bound.runtime;
        let ops = &*self.state.pixel_ops;
        runtime.vertex_ops.point_size = points.into();
        runtime.vertex_ops.rectangles = (class == Class::Rect).into();
        runtime.vertex_ops.clip_planes = ops.clip_planes & 0x3f;
        runtime.pixel_ops.alpha_compare = ops.alpha_compare;
        runtime.pixel_ops.fog = ops.fog;
        runtime.pixel_ops.flat = ops.flat;
        // Only points have a place in the point.
        runtime.pixel_ops.point_sprite = ops.point_sprite & u8::from(points);
        runtime.pixel_ops.srgb_write = self.bound.targets.srgb_write;
        runtime.pixel_ops.signed_part = self.bound.part;
        for (slot, texture) in runtime.textures.iter_mut().enumerate().take(8) {
            let projected = if ops.projected >> slot & 1 != 0 { bound::PROJECTED } else { 0 };
            *texture = *texture & !bound::PROJECTED | projected;
        }
        runtime
    }

    /// The kernel that captures what the bound shaders give; `None` where they say nothing of captures, or it cannot be made.
    pub(crate) fn wanted_capture(
        &mut self,
        points: bool,
        options: &Options,
        provoking: Provoking,
    ) -> Option<Captured<D>> {
        let mut runtime = self.runtime(if points { Class::Point } else { Class::Triangle });
        let bound = *self.state.shaders;
        let shader = |id| self.shaders.get(id).and_then(|guest| guest.shader.clone());
        let vertex = shader(bound.vertex)?;
        runtime.link = vertex.link();
        let geometry = if bound.geometry.is_none() { None } else { Some(shader(bound.geometry)?) };
        let id = if geometry.is_none() { bound.vertex } else { bound.geometry };
        let stages = Stages { vertex: &vertex, geometry: geometry.as_deref().map(|shader| (shader, provoking)), id };
        let number = self.library.capture(&self.device, stages, &runtime, options)?;
        let kernel = self.pipelines.kernel(&self.device, &mut self.library, number)?;
        let strides = self.library.strides(number);
        Some(Captured { number, kernel, strides, geometry: geometry.is_some() })
    }

    /// The kernel that runs the bound geometry shader, or one that makes primitives, and what reads what it emits; `None` where it cannot be
    /// made. `points` are what goes into it.
    pub(crate) fn wanted_geometry(
        &mut self,
        made: Option<Made>,
        points: bool,
        options: &Options,
        drawing: Drawing,
    ) -> Option<Emitting<D>> {
        let mut runtime = self.runtime(if points { Class::Point } else { Class::Triangle });
        let bound = *self.state.shaders;
        let shader = |id| self.shaders.get(id).and_then(|guest| guest.shader.clone());
        let (vertex, geometry) = (shader(bound.vertex)?, shader(bound.geometry));
        runtime.link = vertex.link();
        let of = match made {
            Some(made) => (bound.vertex, Emitter::Made(made)),
            None => (bound.geometry, Emitter::Guest(geometry.as_deref()?)),
        };
        let made = self.library.emitting(&self.device, &vertex, of, &runtime, options, drawing);
        let ([number, reader], emits) = made?;
        let kernel = self.pipelines.kernel(&self.device, &mut self.library, number)?;
        Some(Emitting { number, kernel, reader, emits })
    }

    /// Whether the vertex shader writes memory.
    pub(crate) fn stores_in_vertices(&mut self) -> bool {
        let mut runtime = self.runtime(Class::Triangle);
        let Some(guest) = self.shaders.get_mut(self.state.shaders.vertex) else { return false };
        let Some(shader) = &guest.shader else { return false };
        runtime.link = shader.link();
        let number = self.library.number(&self.device, guest, &runtime, self.bound.samplers[0]);
        number.and_then(|number| self.library.variant(number)).is_some_and(|variant| variant.reaches[1])
    }

    /// The variants of the bound shaders; `reader` stands in for the vertex shader. `None` where one of them is no shader.
    pub(crate) fn wanted_variants(&mut self, class: Class, reader: Option<u32>) -> Option<Wanted> {
        let mut runtime = self.runtime(class);
        let bound = *self.state.shaders;
        let ops = runtime.pixel_ops;
        let pixel = self.shaders.get(bound.pixel).and_then(|guest| guest.shader.as_ref());
        let generic = pixel.is_some_and(|pixel| pixel.wants_generic(ops.alpha_compare, ops.fog));
        runtime.pixel_ops.generic = generic.into();
        let vertex = self.shaders.get_mut(bound.vertex)?;
        runtime.link = vertex.shader.as_ref()?.link();
        let vertex = match reader {
            Some(reader) => reader,
            None => self.library.number(&self.device, vertex, &runtime, self.bound.samplers[0])?,
        };
        let pixel = match bound.pixel {
            ObjectId::NONE => None,
            id => {
                let samplers = self.bound.samplers[1];
                Some(self.library.number(&self.device, self.shaders.get_mut(id)?, &runtime, samplers)?)
            }
        };
        self.bound.runtime = runtime;
        Some(Wanted { vertex, pixel })
    }
}
