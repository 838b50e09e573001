//! Textures and storage images.
//!
//! What samplers of Metal lack is made here of the values in the block of [`metal::SAMPLERS`](afterimage_abi::metal::SAMPLERS), for the slots
//! of [`Samplers`](crate::Samplers). A bias of the level of detail is added to what the shader gives. A border of any colour is made of two
//! lookups, with a black and with a white border: what one has more than the other is how much of the border is in it. Where lookups compare,
//! the border is compared with by the shader.

use std::fmt::Write as _;

use afterimage_ir::{
    Component, Dim, ImageDecl, Imm, InstData, Kind, Offset, Op, Stage, Swizzle, Texture, TextureDecl, Type, Value,
};

use crate::EmitError;
use crate::emit::Emitter;
use crate::expr::{Prec, letters, type_name};
use crate::interface::Made;

/// The coordinates without the layer.
fn place_lanes(extent: u8) -> &'static [u8] {
    &[0, 1, 2, 3][..extent as usize & 3]
}

impl Emitter<'_> {
    fn texture_of(&self, data: &InstData) -> Result<(Texture, TextureDecl, Offset, u8), EmitError> {
        if data.imm.texture().is_some_and(|texture| self.m.textures[texture.index()].in_tables()) {
            return Err(EmitError::Unsupported("a texture in tables"));
        }
        match data.imm {
            Imm::Texture(texture, offset) => Ok((texture, self.m.textures[texture.index()], offset, 0)),
            Imm::Gather(texture, component, offset) => {
                Ok((texture, self.m.textures[texture.index()], offset, component))
            }
            _ => Err(EmitError::Malformed(data.op.name())),
        }
    }

    /// A lookup with a sampler. Its result is four components, unsigned of integers.
    pub(crate) fn sample(&mut self, data: &InstData) -> Result<String, EmitError> {
        let (texture, decl, offset, component) = self.texture_of(data)?;
        let gathers = data.op == Op::Gather;
        // Metal has neither.
        if decl.dim.is_multisampled() || gathers && decl.dim == Dim::D3 {
            return Err(EmitError::Unsupported(data.op.name()));
        }
        let Made { white, register, biased, reduced, spread } = self.interface.made[texture.index()].clone();
        let component = if spread { 0 } else { component };
        let all = if spread && !gathers { ".xxxx" } else { "" };
        if reduced && !gathers {
            let text = self.reduced(data, decl, offset, (texture, register, biased))?;
            return Ok(text + all);
        }
        if !white.is_empty() {
            data.args.iter().for_each(|arg| self.name(*arg));
        }
        let (name, sampler) = self.interface.textures[texture.index()].clone();
        let args = &data.args;
        let function = match (gathers, decl.shadow) {
            (true, false) => "gather",
            (true, true) => "gather_compare",
            (false, false) => "sample",
            (false, true) => "sample_compare",
        };
        let mut text = String::new();
        self.put_coordinates(&mut text, args[0], decl.dim);
        if decl.shadow {
            text.push_str(", ");
            self.put_list(&mut text, &args[args.len() - 1..]);
        }
        let gradient = match decl.dim {
            Dim::Cube | Dim::CubeArray => "gradientcube",
            Dim::D3 => "gradient3d",
            _ => "gradient2d",
        };
        let option = match data.op {
            Op::SampleBias => Some(("bias", &args[1..2])),
            Op::SampleLod => Some(("level", &args[1..2])),
            Op::SampleGrad => Some((gradient, &args[1..3])),
            Op::Sample if biased => Some(("bias", &args[..0])),
            _ => None,
        };
        if let Some((option, args)) = option {
            let bias = format!("samplers[{}].x", register + 1);
            let _ = write!(text, ", {option}(");
            for (at, arg) in args.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                self.put(&mut text, *arg, if biased { Prec::Product } else { Prec::Any });
                let _ = match (biased, data.op) {
                    (false, _) => Ok(()),
                    (true, Op::SampleGrad) => write!(text, " * exp2({bias})"),
                    (true, _) => write!(text, " + {bias}"),
                };
            }
            text.push_str(if args.is_empty() { &bias } else { "" });
            text.push(')');
        }
        let names_component = gathers && component != 0 && !decl.shadow;
        if !decl.dim.is_cube() && (!offset.is_zero() || names_component) {
            put_offset(&mut text, ", int", decl.dim, offset);
        }
        if names_component {
            text.push_str(", component::");
            letters(&mut text, &[component]);
        }
        let call = |sampler: &str| format!("{name}.{function}({sampler}, {text})");
        let text = match white.is_empty() {
            true => call(&sampler),
            false if decl.shadow => {
                self.helpers.compared = true;
                let (black, white) = (call(&sampler), call(&white));
                let mut reference = String::new();
                self.put_list(&mut reference, &args[args.len() - 1..]);
                format!("compared({black}, {white}, samplers[{register}].x, {reference}, samplers[{}])", register + 1)
            }
            false => {
                self.helpers.bordered = true;
                let border = match decl.component {
                    Component::Float => format!("samplers[{register}]"),
                    Component::Uint => format!("as_type<uint4>(samplers[{register}])"),
                    Component::Sint => format!("as_type<int4>(samplers[{register}])"),
                };
                let mut lanes = String::new();
                if gathers {
                    lanes.push('.');
                    letters(&mut lanes, &[component; 4]);
                }
                format!("bordered({}, {}, {border}{lanes})", call(&sampler), call(&white))
            }
        };
        // A comparison gives a scalar.
        Ok(match decl.component {
            _ if decl.shadow && !gathers => format!("float4({text})"),
            Component::Sint => format!("uint4({text})"),
            Component::Float | Component::Uint => text + all,
        })
    }

    /// A lookup that takes the least or greatest texel.
    fn reduced(
        &mut self,
        data: &InstData,
        decl: TextureDecl,
        offset: Offset,
        (texture, register, biased): (Texture, u32, bool),
    ) -> Result<String, EmitError> {
        let unsupported = EmitError::Unsupported(data.op.name());
        let function = self.helpers.reduce(decl.dim).ok_or(unsupported)?;
        data.args.iter().for_each(|arg| self.name(*arg));
        let (name, sampler) = self.interface.textures[texture.index()].clone();
        let (dim, args) = (decl.dim, &data.args);
        let lanes = place_lanes(dim.extent());
        let floats = type_name(Type::new(Kind::Float, lanes.len() as u8));
        let mut place = String::new();
        self.put_swizzled(&mut place, args[0], lanes);
        let size = match dim {
            Dim::D3 => {
                format!("float3(float({name}.get_width()), float({name}.get_height()), float({name}.get_depth()))")
            }
            _ => format!("float2(float({name}.get_width()), float({name}.get_height()))"),
        };
        let detail = |dx: &str, dy: &str| format!("detail_of({dx} * {size}, {dy} * {size})");
        let own = match self.m.stage {
            Stage::Pixel => detail(&format!("dfdx({place})"), &format!("dfdy({place})")),
            _ => "0.0f".to_owned(),
        };
        let text = |value: Value| {
            let mut text = String::new();
            self.put(&mut text, value, Prec::Product);
            text
        };
        let mut level = match data.op {
            Op::SampleLod => text(args[1]),
            Op::SampleBias => format!("{own} + {}", text(args[1])),
            Op::SampleGrad => detail(&text(args[1]), &text(args[2])),
            _ => own,
        };
        if biased {
            let _ = write!(level, " + samplers[{}].x", register + 1);
        }
        let mut coordinates = String::new();
        self.put_coordinates(&mut coordinates, args[0], dim);
        let mut moved = String::new();
        put_offset(&mut moved, "int", dim, offset);
        Ok(format!("{function}({name}, {sampler}, {coordinates}, {floats}({moved}), {level}, samplers[{register}])"))
    }

    /// Coordinates of a lookup, and the layer.
    fn put_coordinates(&self, text: &mut String, coordinates: Value, dim: Dim) {
        if !dim.is_array() {
            return self.put(text, coordinates, Prec::Any);
        }
        let extent = dim.extent();
        self.put_swizzled(text, coordinates, place_lanes(extent));
        text.push_str(", uint(precise::clamp(rint(");
        self.put_swizzled(text, coordinates, Swizzle::new(&[extent]).lanes());
        // Metal takes the last layer for those behind it.
        text.push_str("), 0.0f, 2047.0f))");
    }

    /// What is asked of a texture without a sampler, but for the level that would be taken.
    pub(crate) fn ask_texture(&mut self, data: &InstData) -> Result<String, EmitError> {
        let (texture, decl, offset, _) = self.texture_of(data)?;
        let name = self.interface.textures[texture.index()].0.clone();
        let dim = decl.dim;
        Ok(match data.op {
            Op::Fetch => {
                if decl.shadow || dim.is_cube() {
                    return Err(EmitError::Malformed(data.op.name()));
                }
                let mut text = format!("{name}.read(");
                self.put_texel(&mut text, data.args[0], dim, offset);
                text.push_str(", ");
                self.put(&mut text, data.args[1], Prec::Any);
                text.push(')');
                let all = if self.interface.made[texture.index()].spread { ".xxxx" } else { "" };
                if decl.component == Component::Sint { format!("uint4({text})") } else { text + all }
            }
            Op::TextureSize => {
                self.name(data.args[0]);
                let mut level = String::new();
                if !dim.is_multisampled() {
                    self.put(&mut level, data.args[0], Prec::Any);
                }
                size(&name, dim, &level)
            }
            Op::TextureLevels if dim.is_multisampled() => format!("{name}.get_num_samples()"),
            Op::TextureLevels => format!("{name}.get_num_mip_levels()"),
            _ => return Err(EmitError::Malformed(data.op.name())),
        })
    }

    /// The level that a lookup would take: clamped, and not.
    pub(crate) fn query_lod(&mut self, data: &InstData) -> Result<String, EmitError> {
        let (texture, ..) = self.texture_of(data)?;
        self.name(data.args[0]);
        let (name, sampler) = &self.interface.textures[texture.index()];
        let mut place = String::new();
        self.put(&mut place, data.args[0], Prec::Any);
        let ask = |what: &str| format!("{name}.calculate_{what}_lod({sampler}, {place})");
        Ok(format!("float2({}, {})", ask("clamped"), ask("unclamped")))
    }

    /// Whole-numbered coordinates, and the layer.
    fn put_texel(&self, text: &mut String, coordinates: Value, dim: Dim, offset: Offset) {
        let lanes = place_lanes(dim.extent());
        if dim.is_array() {
            self.put_swizzled(text, coordinates, lanes);
        } else {
            self.put(text, coordinates, if offset.is_zero() { Prec::Any } else { Prec::Sum });
        }
        if !offset.is_zero() {
            // As unsigned numbers, which wrap.
            put_offset(text, " + uint", dim, offset);
        }
        if dim.is_array() {
            text.push_str(", ");
            self.put_swizzled(text, coordinates, &[dim.extent()]);
        }
    }

    // Storage images.

    /// Begins a call on a storage image with the place of a texel.
    fn image_call(&self, data: &InstData, function: &str) -> Result<(String, ImageDecl, String), EmitError> {
        let image = data.imm.image().ok_or(EmitError::Malformed(data.op.name()))?;
        let decl = self.m.images[image.index()];
        let dim = layered(decl.dim);
        let mut place = String::new();
        if let Some(&coordinates) = data.args.first() {
            self.put_texel(&mut place, coordinates, dim, Offset::default());
        }
        Ok((format!("{}.{function}(", self.interface.images[image.index()]), decl, place))
    }

    /// A texel of a storage image.
    pub(crate) fn image_load(&self, data: &InstData) -> Result<String, EmitError> {
        let (mut text, decl, place) = self.image_call(data, "read")?;
        text.push_str(&place);
        text.push(')');
        Ok(if decl.component == Component::Sint { format!("uint4({text})") } else { text })
    }

    /// Sets a texel.
    pub(crate) fn image_store(&mut self, data: &InstData) -> Result<(), EmitError> {
        let (mut text, decl, place) = self.image_call(data, "write")?;
        let value = data.args.last().ok_or(EmitError::Malformed(data.op.name()))?;
        let signed = decl.component == Component::Sint;
        text.push_str(if signed { "int4(" } else { "" });
        self.put(&mut text, *value, Prec::Any);
        text.push_str(if signed { "), " } else { ", " });
        self.line(format_args!("{text}{place});"));
        Ok(())
    }

    /// Changes a texel, whether anybody wants what was there or not.
    pub(crate) fn image_atomic(&mut self, data: &InstData, result: Value) -> Result<(), EmitError> {
        self.needs(data, 310)?;
        let (Imm::ImageAtomic(image, op), Some((&coordinates, operands))) = (data.imm, data.args.split_first()) else {
            return Err(EmitError::Malformed(data.op.name()));
        };
        let decl = self.m.images[image.index()];
        if decl.component == Component::Float {
            return Err(EmitError::Malformed(data.op.name()));
        }
        let dim = layered(decl.dim);
        let function = self.texels.call(op, dim, decl.component);
        let mut text = format!("{function}({}, ", self.interface.images[image.index()]);
        self.put_texel(&mut text, coordinates, dim, Offset::default());
        for operand in operands {
            text.push_str(", ");
            self.put(&mut text, *operand, Prec::Any);
        }
        text.push(')');
        if self.is_used(result) {
            self.define(result, &text);
        } else {
            self.line(format_args!("{text};"));
        }
        Ok(())
    }

    /// Its size.
    pub(crate) fn image_size(&self, data: &InstData) -> Result<String, EmitError> {
        let image = data.imm.image().ok_or(EmitError::Malformed(data.op.name()))?;
        let (name, dim) = (&self.interface.images[image.index()], self.m.images[image.index()].dim);
        Ok(match dim {
            // Cubes, not faces; one where there is one layer in the place of an image.
            Dim::CubeArray => {
                format!("uint3({name}.get_width(), {name}.get_height(), max({name}.get_array_size() / 6u, 1u))")
            }
            _ => size(name, dim, ""),
        })
    }
}

/// The shape of an image as the language accesses it: cubes by layers.
fn layered(dim: Dim) -> Dim {
    if dim.is_cube() { Dim::D2Array } else { dim }
}

/// Texels by which a lookup is moved, as a vector of a type.
fn put_offset(text: &mut String, ty: &str, dim: Dim, offset: Offset) {
    let extent = dim.extent();
    let _ = write!(text, "{ty}{extent}(");
    for (at, by) in offset.0[..extent as usize & 3].iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        // What is negative is written as the unsigned number that is added.
        let _ = if ty.ends_with("uint") { write!(text, "{}u", i32::from(*by) as u32) } else { write!(text, "{by}") };
    }
    text.push(')');
}

/// The size of a level of a texture.
fn size(name: &str, dim: Dim, level: &str) -> String {
    let (width, height) = (format!("{name}.get_width({level})"), format!("{name}.get_height({level})"));
    match dim {
        Dim::D2 | Dim::Cube | Dim::D2Ms => format!("uint2({width}, {height})"),
        Dim::D3 => format!("uint3({width}, {height}, {name}.get_depth({level}))"),
        Dim::D2Array | Dim::CubeArray | Dim::D2MsArray => {
            format!("uint3({width}, {height}, {name}.get_array_size())")
        }
    }
}
