//! What a shader uses of its surroundings, for people and for programs.

use super::io;
use afterimage_ir::Semantic;
use afterimage_msl::Binding;
use afterimage_shader::{Reflection, Stage};
use afterimage_shader_d3d9::ctab::Constant;
use afterimage_shader_d3d9::tables::Usage;
use afterimage_shader_spirv::{
    self as spirv,
    io::{Bindings, BlockSource, BlockUse, Descriptor},
};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// How to print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReflectAs {
    /// A line per thing.
    Text,
    /// An object per shader.
    Json,
}

/// What a shader's own language says of its names and places.
#[derive(Default)]
pub(super) struct Origin {
    /// Of SPIR-V: what banks and slots are there.
    pub(super) bindings: Bindings,
    /// Of Direct3D 9: the constant table that a compiler left.
    pub(super) constants: Vec<Constant>,
}

/// What a shader uses.
pub(super) struct Uses<'a> {
    pub(super) module: &'a Reflection,
    pub(super) origin: &'a Origin,
    /// Where Metal's functions take it, if they were written.
    pub(super) metal: &'a [Binding],
}

/// What the shader of `input` uses.
pub(super) fn print(form: ReflectAs, input: &Path, uses: &Uses<'_>) -> String {
    match form {
        ReflectAs::Text => text(input, uses),
        ReflectAs::Json => format!("{}\n", json(input, uses)),
    }
}

pub(super) fn place(d: &Descriptor) -> String {
    let element = if d.element == 0 { String::new() } else { format!("[{}]", d.element) };
    format!("set {} binding {}{element}", d.set, d.binding)
}

pub(super) fn source(block: &BlockUse) -> String {
    match block.source {
        BlockSource::PushConstants => "push constants".to_owned(),
        BlockSource::Uniform(descriptor) => place(&descriptor),
        BlockSource::Storage(descriptor) => format!("storage buffer {}", place(&descriptor)),
        BlockSource::Address(byte) => format!("address at byte {byte} of the push constants"),
    }
}

/// As Direct3D's text has it: `TEXCOORD3` is `texcoord3`.
fn semantic(semantic: Semantic) -> String {
    let usage = Usage::from_number(semantic.usage).map_or("?", Usage::text);
    format!("{usage}{}", semantic.index)
}

fn text(input: &Path, uses: &Uses<'_>) -> String {
    let r = uses.module;
    let mut text = format!("shader    {}\nstage     {}\n", io::name(input), r.stage.name());
    let named = |s: Option<Semantic>| s.map_or(String::new(), |s| format!("  {}", semantic(s)));
    // Writing to a string cannot fail.
    for input in &r.inputs {
        let _ = writeln!(text, "input     {} {}{}", input.at, input.ty, named(input.semantic));
    }
    for output in &r.outputs {
        let _ = writeln!(text, "output    {} {}{}", output.at, output.ty, named(output.semantic));
    }
    let mut at = 0;
    for s in &r.segments {
        let last = s.first + s.count - 1;
        let _ = writeln!(text, "constants bank {} registers {}..={last} at byte {at}", s.bank, s.first);
        at += s.count * 16;
    }
    for def in &r.const_defs {
        let _ = writeln!(text, "defined   bank {} register {} = {:x?}", def.bank, def.index, def.bits);
    }
    for texture in &r.textures {
        let shadow = if texture.shadow { " shadow" } else { "" };
        let _ = writeln!(text, "texture   slot {} {}{shadow}", texture.slot, texture.dim.name());
    }
    for spec in &r.specs {
        let _ = writeln!(text, "spec      id {} {} default {:#x}", spec.id, spec.kind.name(), spec.default);
    }
    if r.system {
        text.push_str("system    block is read\n");
    }
    if r.feedback {
        text.push_str("feedback  block is read\n");
    }
    if r.stage == Stage::Compute {
        let [x, y, z] = r.group;
        let _ = writeln!(text, "group     {x}, {y}, {z} lanes, {} bytes shared", r.shared);
    }
    if r.demotes && r.stage == Stage::Pixel {
        text.push_str("discards  pixels\n");
    }
    for constant in &uses.origin.constants {
        let _ = writeln!(text, "named     {constant}");
    }
    for block in &uses.origin.bindings.blocks {
        let _ = writeln!(text, "block     bank {} is {}, {} bytes", block.bank, source(block), block.size);
    }
    for texture in &uses.origin.bindings.textures {
        let [image, sampler] = [&texture.image, &texture.sampler].map(place);
        let _ = writeln!(text, "image     slot {} is {image}, sampler {sampler}", texture.slot);
    }
    for binding in uses.metal {
        let _ = writeln!(text, "metal     {} [[{}]]", binding.name, binding.attribute);
    }
    text
}

fn json(input: &Path, uses: &Uses<'_>) -> Value {
    let r = uses.module;
    let interface =
        |at: String, ty: String, s: Option<Semantic>| json!({ "at": at, "type": ty, "semantic": s.map(semantic) });
    let mut at = 0;
    let segments: Vec<_> = r
        .segments
        .iter()
        .map(|s| {
            let segment = json!({ "bank": s.bank, "first": s.first, "count": s.count, "byte": at });
            at += s.count * 16;
            segment
        })
        .collect();
    let defined = |d: &afterimage_shader::ConstDef| json!({ "bank": d.bank, "register": d.index, "bits": d.bits });
    let texture =
        |t: &afterimage_shader::TextureUse| json!({ "slot": t.slot, "shape": t.dim.name(), "shadow": t.shadow });
    let specs = r.specs.iter().map(|s| json!({ "id": s.id, "kind": s.kind.name(), "default": s.default }));
    let named = |c: &Constant| json!({ "name": c.name, "type": c.ty, "set": format!("{:?}", c.set).to_lowercase(), "first": c.first, "count": c.count });
    let block = |b: &BlockUse| json!({ "bank": b.bank, "source": source(b), "bytes": b.size });
    let image =
        |t: &spirv::io::TextureUse| json!({ "slot": t.slot, "image": place(&t.image), "sampler": place(&t.sampler) });
    let metal = |b: &Binding| json!({ "name": b.name, "attribute": b.attribute.to_string() });
    json!({
        "shader": io::name(input),
        "stage": r.stage.name(),
        "inputs": r.inputs.iter().map(|i| interface(i.at.to_string(), i.ty.to_string(), i.semantic)).collect::<Vec<_>>(),
        "outputs": r.outputs.iter().map(|o| interface(o.at.to_string(), o.ty.to_string(), o.semantic)).collect::<Vec<_>>(),
        "constants": segments,
        "defined": r.const_defs.iter().map(defined).collect::<Vec<_>>(),
        "textures": r.textures.iter().map(texture).collect::<Vec<_>>(),
        "specs": specs.collect::<Vec<_>>(),
        "system": r.system,
        "feedback": r.feedback,
        "group": r.group,
        "shared": r.shared,
        "discards": r.demotes,
        "named": uses.origin.constants.iter().map(named).collect::<Vec<_>>(),
        "blocks": uses.origin.bindings.blocks.iter().map(block).collect::<Vec<_>>(),
        "images": uses.origin.bindings.textures.iter().map(image).collect::<Vec<_>>(),
        "metal": uses.metal.iter().map(metal).collect::<Vec<_>>(),
    })
}
