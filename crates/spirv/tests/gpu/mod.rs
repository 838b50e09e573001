//! Draws rows of pixels with a shader pair of the shader ABI and reads the bits of the colour targets back. Nothing else: no
//! windows, no caches, and everything is made anew for each picture.

// Not every test uses all of it.
#![allow(dead_code, reason = "each test uses a part")]

mod compute;
mod device;
mod pipeline;

use afterimage_ir::{Bank, BankDecl, BankSource, Imm, InputAt, Module, Op, OutputAt, Stage, parse, verify};
use afterimage_passes::{FloatRules, optimize};
use afterimage_spirv::emit;
use ash::vk;
#[allow(unused_imports, reason = "each test uses a part")]
pub(crate) use compute::Dispatch;
pub(crate) use device::{Buffer, Gpu, Image, Result, Shape};
pub(crate) use pipeline::Pipeline;

/// A texture of one texel in every slot of its kind.
pub(crate) const TEXEL: [f32; 4] = [0.25, 0.5, 0.75, 1.0];
/// A vertex shader of a triangle over everything, from its corners in the constants.
pub(crate) const TRIANGLE: &str = "vertex {
  input in0 : i32 vertex_index smooth
  output out0 : f32x4 position
  bank c0 stage 0 [3]
  v0: i32 = load_input in0
  v1: f32x4 = load_const_dyn c0[0], v0
  store_output out0, v1
  return
}";

/// The constants of [`TRIANGLE`].
pub(crate) fn corners() -> Vec<[u32; 4]> {
    [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]: [f32; 2]| [x, y, 0.5, 1.0].map(f32::to_bits)).to_vec()
}

/// The bank that [`Gpu::evaluate`] reads inputs from; no bank of the ABI.
pub(crate) const INPUTS: u8 = 200;

/// Bytes of the push constants.
const PUSH: u32 = 128;
const SLOTS: u32 = 20;

/// What to draw.
pub(crate) struct Draw<'a> {
    pub(crate) vertex: &'a [u32],
    pub(crate) pixel: &'a [u32],
    pub(crate) vertex_constants: &'a [[u32; 4]],
    pub(crate) pixel_constants: &'a [[u32; 4]],
    /// Pixels in the row.
    pub(crate) width: u32,
    /// Formats of the colour targets, 16 bytes per pixel.
    pub(crate) formats: &'a [vk::Format],
}

/// What few tests need besides.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra<'a> {
    /// Specialisation constants of the pixel shader: number, bits.
    pub(crate) specs: &'a [(u32, u32)],
    /// The levels of a square 2D texture in place of the one of a single texel, the largest first.
    pub(crate) levels: &'a [Vec<[f32; 4]>],
}

impl Gpu {
    /// Draws the row and returns the bits of each target's pixels.
    pub(crate) fn draw(&self, draw: &Draw<'_>) -> Vec<Vec<[u32; 4]>> {
        self.draw_with(draw, Extra::default())
    }

    /// What a module computes: its outputs, of which there are at most as many as colour targets. It runs as a pixel shader
    /// whose inputs are constants, those of [`INPUTS`] by location, and whose outputs are colours.
    pub(crate) fn evaluate(&self, mut module: Module, register: impl Fn(u8, usize) -> [u32; 4]) -> Vec<[u32; 4]> {
        module.stage = Stage::Pixel;
        module.banks.iter_mut().for_each(|bank| bank.source = BankSource::Stage);
        let inputs = Bank::new(module.banks.len());
        let source = BankSource::Stage;
        module.banks.push(BankDecl { name: "in".to_owned(), source, id: INPUTS, size: 32, defs: Vec::new() });
        for inst in &mut module.insts {
            if let (Op::LoadInput, Imm::Input(input)) = (inst.op, inst.imm)
                && let InputAt::Location(location) = module.inputs[input.index()].at
            {
                (inst.op, inst.imm) = (Op::LoadConst, Imm::Bank(inputs, location.into()));
            }
        }
        for (output, location) in module.outputs.iter_mut().zip(0..) {
            output.at = OutputAt::Location(location);
        }
        verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
        optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        let pixel = emit(&module, &self.options).expect("valid");
        let vertex = emit(&parse(TRIANGLE).expect("valid"), &self.options).expect("valid");
        let segments = pixel.reflection.segments.iter();
        let constants = segments.flat_map(|s| (s.first..s.first + s.count).map(|index| (s.bank, index as usize)));
        let picture = self.draw(&Draw {
            vertex: &vertex.words,
            pixel: &pixel.words,
            vertex_constants: &corners(),
            pixel_constants: &constants.map(|(bank, index)| register(bank, index)).collect::<Vec<_>>(),
            width: 2,
            formats: &vec![vk::Format::R32G32B32A32_SFLOAT; module.outputs.len()],
        });
        picture.iter().map(|row| row[0]).collect()
    }

    /// As [`draw`](Gpu::draw), with what few tests need.
    pub(crate) fn draw_with(&self, draw: &Draw<'_>, extra: Extra<'_>) -> Vec<Vec<[u32; 4]>> {
        self.try_draw(draw, extra).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn try_draw(&self, draw: &Draw<'_>, extra: Extra<'_>) -> Result<Vec<Vec<[u32; 4]>>> {
        let d = &self.device;
        // SAFETY: every object below is made from this device, used in the order that Vulkan asks for, and destroyed after the
        // queue is idle; the modules are valid SPIR-V, which `validate.rs` checks.
        unsafe {
            let levels = extra.levels.len() as u32;
            let side = extra.levels.first().map_or(1, |texels| texels.len().isqrt() as u32);
            let color = vk::Format::R32G32B32A32_SFLOAT;
            let textures = [
                self.image(Shape::texture(color, vk::ImageViewType::TYPE_2D, side, levels.max(1)))?,
                self.image(Shape::texture(color, vk::ImageViewType::CUBE, 1, 1))?,
                self.image(Shape::texture(color, vk::ImageViewType::TYPE_3D, 1, 1))?,
                self.image(Shape::texture(vk::Format::D32_SFLOAT, vk::ImageViewType::TYPE_2D, 1, 1))?,
            ];
            let texels: Vec<f32> = extra.levels.iter().flatten().flatten().copied().collect();
            let texels = self.filled(bytemuck::cast_slice(&texels), vk::BufferUsageFlags::TRANSFER_SRC)?;
            let clamp = vk::SamplerAddressMode::CLAMP_TO_EDGE;
            let sampler = vk::SamplerCreateInfo::default().address_mode_u(clamp).address_mode_v(clamp);
            let sampler = sampler.address_mode_w(clamp).max_lod(vk::LOD_CLAMP_NONE);
            let compare = sampler.compare_enable(true).compare_op(vk::CompareOp::ALWAYS);
            let samplers = [d.create_sampler(&sampler, None)?, d.create_sampler(&compare, None)?];
            let (set_layout, set_pool, set) = self.descriptors(&textures, samplers)?;
            let layouts = [set_layout];
            let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
            let push = [vk::PushConstantRange::default().stage_flags(both).size(PUSH)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None)?;
            let pipeline = self.pipeline(&Pipeline {
                layout,
                vertex: draw.vertex,
                pixel: draw.pixel,
                specs: extra.specs,
                attributes: &[],
                stride: 0,
                topology: vk::PrimitiveTopology::TRIANGLE_LIST,
                colors: draw.formats,
                depth: None,
            })?;
            let (vertex_buffer, vertex_address) = self.registers(draw.vertex_constants)?;
            let (pixel_buffer, pixel_address) = self.registers(draw.pixel_constants)?;

            let mut targets = Vec::new();
            for &format in draw.formats {
                let image = self.image(Shape::target(format, draw.width, 1))?;
                targets.push((image, self.buffer(draw.width as u64 * 16, vk::BufferUsageFlags::TRANSFER_DST)?));
            }

            self.submit(|c| {
                for (i, texture) in textures.iter().enumerate() {
                    self.to_general(c, texture);
                    let (layout, ranges) = (vk::ImageLayout::GENERAL, [texture.shape.range()]);
                    if i == 0 && levels > 0 {
                        let mut offset = 0;
                        for (level, texels_of) in (0..).zip(extra.levels) {
                            let side = (side >> level).max(1);
                            let copy = vk::BufferImageCopy::default()
                                .buffer_offset(offset)
                                .image_subresource(texture.shape.level(level))
                                .image_extent(vk::Extent3D { width: side, height: side, depth: 1 });
                            d.cmd_copy_buffer_to_image(c, texels.buffer, texture.image, layout, &[copy]);
                            offset += texels_of.len() as u64 * 16;
                        }
                    } else if texture.shape.format == vk::Format::D32_SFLOAT {
                        let value = vk::ClearDepthStencilValue { depth: 0.5, stencil: 0 };
                        d.cmd_clear_depth_stencil_image(c, texture.image, layout, &value, &ranges);
                    } else {
                        let value = vk::ClearColorValue { float32: TEXEL };
                        d.cmd_clear_color_image(c, texture.image, layout, &value, &ranges);
                    }
                }
                for (image, _) in &targets {
                    self.to_general(c, image);
                }
                self.barrier(c);
                let colors: Vec<&Image> = targets.iter().map(|(image, _)| image).collect();
                self.begin(c, &colors, None, 0.0);
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
                d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, layout, 0, &[set], &[]);
                let mut words = [0u32; PUSH as usize / 4];
                words[0..2].copy_from_slice(bytemuck::cast_slice(&[vertex_address]));
                words[2..4].copy_from_slice(bytemuck::cast_slice(&[pixel_address]));
                for slot in 0..SLOTS {
                    // The compare sampler is the last one, for the slot of the shadow texture.
                    words[8 + slot as usize] = slot | slot << afterimage_abi::push::TEXTURE_INDEX_BITS;
                }
                d.cmd_push_constants(c, layout, both, 0, bytemuck::cast_slice(&words));
                d.cmd_draw(c, 3, 1, 0, 0);
                d.cmd_end_rendering(c);
                self.barrier(c);
                for (image, buffer) in &targets {
                    self.copy_out(c, image, buffer, 0);
                }
            })?;
            let pictures = targets.iter().map(|(_, buffer)| Ok(self.read(buffer)?.as_chunks().0.to_vec()));
            let pictures = pictures.collect::<Result<Vec<_>>>()?;

            d.destroy_pipeline(pipeline, None);
            d.destroy_pipeline_layout(layout, None);
            d.destroy_descriptor_pool(set_pool, None);
            d.destroy_descriptor_set_layout(set_layout, None);
            samplers.iter().for_each(|&s| d.destroy_sampler(s, None));
            let (images, buffers): (Vec<Image>, Vec<Buffer>) = targets.into_iter().unzip();
            images.into_iter().chain(textures).for_each(|image| self.free_image(image));
            buffers.into_iter().chain([vertex_buffer, pixel_buffer, texels]).for_each(|buffer| self.free(buffer));
            Ok(pictures)
        }
    }

    /// Descriptor set 0 of the shader ABI. In slot 3 there is the shadow texture, elsewhere the plain ones.
    fn descriptors(
        &self,
        textures: &[Image; 4],
        samplers: [vk::Sampler; 2],
    ) -> Result<(vk::DescriptorSetLayout, vk::DescriptorPool, vk::DescriptorSet)> {
        let d = &self.device;
        let (image, sampler) = (vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::SAMPLER);
        let bindings: Vec<_> = [image, image, image, sampler]
            .into_iter()
            .zip(0..)
            .map(|(ty, binding)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(ty)
                    .descriptor_count(SLOTS)
                    .stage_flags(vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)
            })
            .collect();
        let sizes = [
            vk::DescriptorPoolSize { ty: image, descriptor_count: 3 * SLOTS },
            vk::DescriptorPoolSize { ty: sampler, descriptor_count: SLOTS },
        ];
        // SAFETY: the views and samplers are alive, and all pointers are to locals that live through the calls.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = d.create_descriptor_set_layout(&info, None)?;
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info)?[0];
            for slot in 0..SLOTS {
                let shadow = slot % 16 == 3;
                let flat = if shadow { &textures[3] } else { &textures[0] };
                for (binding, view) in [flat.view, textures[1].view, textures[2].view].into_iter().enumerate() {
                    let info =
                        [vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(binding as u32)
                        .dst_array_element(slot)
                        .descriptor_type(image)
                        .image_info(&info);
                    d.update_descriptor_sets(&[write], &[]);
                }
                let info = [vk::DescriptorImageInfo::default().sampler(samplers[shadow as usize])];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(3)
                    .dst_array_element(slot)
                    .descriptor_type(sampler)
                    .image_info(&info);
                d.update_descriptor_sets(&[write], &[]);
            }
            Ok((layout, pool, set))
        }
    }
}
