//! What packets and state say, in words: every field by its name, enumerations and flags by theirs.
//!
//! One row per type lists its fields. A row that forgets one does not compile, and the rest comes from the types: numbers are
//! numbers, ids are ids, and what is an enumeration or a set of flags says so behind the field's name.

use crate::packets::*;
use crate::{Bank, Format, ObjectId, ObjectKind, UploadRef, VertexFormat};
use afterimage_abi::Table;
use std::fmt;

/// A field: what it is called, and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name, as in the packet's declaration.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// A value in a form for people and programs. Two are equal if their bits are: what is no number equals itself.
#[derive(Clone, Debug)]
pub enum Value {
    /// A whole number.
    Number(i128),
    /// Bits, for people as hexadecimal digits.
    Bits(u64),
    /// A number with a fraction.
    Float(f32),
    /// Yes or no.
    Bool(bool),
    /// A value of an enumeration.
    Word(String),
    /// The flags that are set.
    Flags(Vec<String>),
    /// An object, or none.
    Id(ObjectId),
    /// Text of the guest.
    Text(String),
    /// Several, in order.
    List(Vec<Value>),
    /// Fields.
    Fields(Vec<Field>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Bits(a), Self::Bits(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Word(a), Self::Word(b)) | (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Flags(a), Self::Flags(b)) => a == b,
            (Self::Id(a), Self::Id(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Fields(a), Self::Fields(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn joined<T>(
            f: &mut fmt::Formatter<'_>,
            all: &[T],
            one: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
        ) -> fmt::Result {
            for (at, item) in all.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", " })?;
                one(f, item)?;
            }
            Ok(())
        }
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Bits(bits) => write!(f, "{bits:#x}"),
            Self::Float(number) => number.fmt(f),
            Self::Bool(yes) => yes.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Flags(flags) if flags.is_empty() => f.write_str("none"),
            Self::Flags(flags) => f.write_str(&flags.join(" | ")),
            Self::Id(id) => id.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(values) => {
                f.write_str("[")?;
                joined(f, values, |f, value| value.fmt(f))?;
                f.write_str("]")
            }
            Self::Fields(fields) => {
                f.write_str("{ ")?;
                joined(f, fields, |f, field| field.fmt(f))?;
                f.write_str(" }")
            }
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.value)
    }
}

impl Value {
    /// Calls `each` with every value that has no parts, and with its path: `front.compare`, `color[0].texture`.
    pub fn leaves(&self, path: &str, each: &mut dyn FnMut(&str, &Self)) {
        match self {
            Self::Fields(fields) => {
                for field in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    field.value.leaves(&format!("{path}{dot}{}", field.name), each);
                }
            }
            // What all are numbers is one value: a colour, a register.
            Self::List(values) if values.iter().any(|value| matches!(value, Self::Fields(_))) => {
                for (at, value) in values.iter().enumerate() {
                    value.leaves(&format!("{path}[{at}]"), each);
                }
            }
            _ => each(path, self),
        }
    }
}

/// What can be put into words.
pub trait Describe {
    /// Its value.
    fn describe(&self) -> Value;
}

macro_rules! numbers {
    ($($ty:ty)*) => { $( impl Describe for $ty { fn describe(&self) -> Value { Value::Number((*self).into()) } } )* };
}
numbers!(u8 u16 u32 u64 i32);

impl Describe for f32 {
    fn describe(&self) -> Value {
        Value::Float(*self)
    }
}

impl Describe for ObjectId {
    fn describe(&self) -> Value {
        Value::Id(*self)
    }
}

impl<T: Describe, const N: usize> Describe for [T; N] {
    fn describe(&self) -> Value {
        self[..].describe()
    }
}

impl<T: Describe> Describe for [T] {
    fn describe(&self) -> Value {
        Value::List(self.iter().map(T::describe).collect())
    }
}

/// An enumeration that travels as its number.
trait Enumeration {
    /// The name of a number, if it has one.
    fn word(number: u64) -> Option<String>;
}

macro_rules! enumerations {
    ($($name:ident: $bits:ty)*) => { $(
        impl Enumeration for $name {
            fn word(number: u64) -> Option<String> {
                <$bits>::try_from(number).ok().and_then(Self::from_bits).map(|value| format!("{value:?}"))
            }
        }
    )* };
}
enumerations! {
    Topology: u8 Compare: u8 StencilOp: u8 BlendFactor: u8 BlendOp: u8 Cull: u8 Fill: u8 LineMode: u8 Provoking: u8 LogicOp: u8
    Dimension: u8 Filter: u8 Address: u8 Swizzle: u8 Stage: u8 QueryKind: u8 WindowKind: u8 Corner: u8 FogMode: u8 Format: u32
    VertexFormat: u8
}

/// The name of an enumeration's number. One that has none is shown as it is.
fn one_of<E: Enumeration>(number: impl Into<u64>) -> Value {
    let number = number.into();
    Value::Word(E::word(number).unwrap_or_else(|| format!("unknown {number}")))
}

/// An enumeration's names, one after the other.
fn each_of<E: Enumeration, const N: usize>(numbers: [u8; N]) -> Value {
    Value::List(numbers.into_iter().map(one_of::<E>).collect())
}

/// 0 or 1.
fn yes(number: impl Into<u64>) -> Value {
    match number.into() {
        0 => Value::Bool(false),
        1 => Value::Bool(true),
        other => Value::Number(other.into()),
    }
}

fn bits(number: impl Into<u64>) -> Value {
    Value::Bits(number.into())
}

/// The names of bits; what has none is shown as a number.
fn flags(rows: &[(u64, &str)], number: impl Into<u64>) -> Value {
    let mut rest = number.into();
    let mut names = Vec::new();
    for (bit, name) in rows {
        if rest & bit != 0 {
            rest &= !bit;
            names.push((*name).to_owned());
        }
    }
    if rest != 0 {
        names.push(format!("{rest:#x}"));
    }
    Value::Flags(names)
}

macro_rules! flag_sets {
    ($( $function:ident $ty:ident { $($flag:ident)* } )*) => { $(
        fn $function(number: impl Into<u64>) -> Value {
            flags(&[ $( ($ty::$flag as u64, stringify!($flag)) ),* ], number)
        }
    )* };
}
flag_sets! {
    buffer_usage CreateBuffer { VERTEX INDEX DYNAMIC STORAGE }
    texture_usage CreateTexture { TARGET SHARED_NEW SHARED_OLD STORAGE VIEWS SAMPLED }
    sampler_flags CreateSampler { MINIMUM MAXIMUM INTEGER_BORDER }
    update_flags UpdateBuffer { DISCARD NO_OVERWRITE }
    clear_flags Clear { COLOR DEPTH STENCIL RED GREEN BLUE ALPHA }
}

/// Red to alpha, of the bits that are set.
fn channels(mask: u8) -> Value {
    flags(&[(1, "red"), (2, "green"), (4, "blue"), (8, "alpha")], mask)
}

fn channels_of_each(masks: [u8; 8]) -> Value {
    Value::List(masks.into_iter().map(channels).collect())
}

fn overlay_items(items: u32) -> Value {
    let rows: Vec<(u64, &str)> = Overlay::ITEMS.iter().map(|(bit, word, _)| ((*bit).into(), *word)).collect();
    flags(&rows, items)
}

fn bank_name(number: u16) -> Value {
    let name = Bank::from_number(number.into()).map(|bank| bank.name().to_owned());
    Value::Word(name.unwrap_or_else(|| format!("unknown {number}")))
}

fn shape_name(number: u8) -> Value {
    let table = Table::ALL.get(usize::from(number));
    Value::Word(table.map_or_else(|| format!("unknown {number}"), |table| format!("{table:?}")))
}

fn guest_name(number: u32) -> Value {
    Value::Word(match number {
        Init::D3D9 => "Direct3D 9".into(),
        Init::NV2A => "NV2A".into(),
        Init::GNM => "GNM".into(),
        other => format!("unknown {other}"),
    })
}

fn marker_action(action: u32) -> Value {
    Value::Word(match action {
        Marker::BEGIN => "begin".into(),
        Marker::END => "end".into(),
        Marker::MARK => "mark".into(),
        other => format!("unknown {other}"),
    })
}

fn buffer_slot(number: u8) -> Value {
    if number == VertexAttribute::DEFAULT { Value::Word("none".into()) } else { number.describe() }
}

/// What a vertex or index binding names: a buffer, or a slot of the upload arena.
fn memory(id: ObjectId) -> Value {
    match id.kind() {
        Some(ObjectKind::Upload) => Value::Word(format!("upload {}", id.serial())),
        _ => Value::Id(id),
    }
}

/// Registers of a bank, as what they hold.
#[must_use]
pub fn register(bank: usize, register: [u32; 4]) -> Value {
    let name = Bank::from_number(bank).map_or("", Bank::name);
    let one = |word: u32| match () {
        () if name.ends_with("integer") => Value::Number((word as i32).into()),
        () if name.ends_with("boolean") => yes(word),
        () if name.ends_with("words") || name.ends_with("buffers") => Value::Bits(word.into()),
        () => Value::Float(f32::from_bits(word)),
    };
    Value::List(register.map(one).into())
}

macro_rules! describe {
    ($( $name:ident { $( $field:ident $(: $how:expr)? ),* $(,)? } $(without $($skip:ident)+)? ; )*) => { $(
        impl Describe for $name {
            fn describe(&self) -> Value {
                let Self { $( $field, )* $( $( $skip: _, )+ )? } = *self;
                Value::Fields(vec![ $( Field {
                    name: stringify!($field).to_owned(),
                    value: describe!(@value $field $($how)?),
                } ),* ])
            }
        }
    )* };
    (@value $field:ident) => { $field.describe() };
    (@value $field:ident $how:expr) => { $how($field) };
}

describe! {
    UploadRef { slot, size, offset };
    View { texture, level, layer };
    Rect { x, y, width, height };
    CounterRef { buffer, offset } without pad;

    Init { version, process, guest: guest_name } without count;
    BeginFrame { frame };
    Present { frame, target, texture, src, dst, interval } without pad;
    StateFigures { draws, filtered, marked, applied, unchanged };
    Name { id } without count;
    Marker { action: marker_action, color: bits } without count pad;
    PresentTarget { id, width, height, window_kind: one_of::<WindowKind>, window: bits };
    Overlay { items: overlay_items, scale, corner: one_of::<Corner> } without pad;
    SetGamma { id } without count;

    CreateBuffer { id, usage: buffer_usage, size };
    CreateTexture {
        id, format: one_of::<Format>, width, height, depth, levels, layers, dimension: one_of::<Dimension>, samples,
        usage: texture_usage, swizzle: each_of::<Swizzle, 4>, shared,
    } without pad;
    CreateView {
        id, source, format: one_of::<Format>, level, levels, layer, layers, dimension: one_of::<Dimension>,
        swizzle: each_of::<Swizzle, 4>,
    } without pad pad2;
    CreateSampler {
        id, mag: one_of::<Filter>, min: one_of::<Filter>, mip: one_of::<Filter>, mipmapped: yes,
        address: each_of::<Address, 3>, compare_enable: yes, compare: one_of::<Compare>, srgb: yes, gather: yes,
        flags: sampler_flags, lod_bias, min_lod, max_anisotropy, border, max_lod,
    };
    CreateShader { id, stage: one_of::<Stage>, language, code } without pad;
    CreateVertexInput { id } without count;
    VertexAttribute { location, slot: buffer_slot, format: one_of::<VertexFormat>, per_instance: yes, offset, divisor };
    CreateQuery { id, kind: one_of::<QueryKind> };
    Destroy { id } without pad;

    UpdateBuffer { id, flags: update_flags, offset, data };
    UpdateTexture { id, level, layer, x, y, z, width, height, depth, row_pitch, slice_pitch, data };
    GenerateMips { id, filter: one_of::<Filter> };

    SetRenderTargets { color, depth, srgb: bits, layers };
    SetViewport { x, y, width, height, min_depth, max_depth };
    SetScissor { rect };
    SetViewports {} without count pad;
    FurtherViewport { viewport, scissor };
    SetDepthBounds { enable: yes, min, max } without pad;
    SetRaster {
        cull: one_of::<Cull>, front_ccw: yes, fill: one_of::<Fill>, fill_back: one_of::<Fill>, depth_clip: yes,
        bias_enable: yes, line_mode: one_of::<LineMode>, provoking: one_of::<Provoking>, depth_bias, slope_bias, point_size,
        sample_mask: bits, point_size_min, point_size_max, line_width, alpha_to_coverage: yes, discard: yes,
    } without pad;
    StencilFace {
        compare: one_of::<Compare>, fail: one_of::<StencilOp>, depth_fail: one_of::<StencilOp>, pass: one_of::<StencilOp>,
    };
    SetDepthStencil {
        depth_test: yes, depth_write: yes, depth_compare: one_of::<Compare>, stencil_test: yes, front, back, reference,
        read_mask: bits, write_mask: bits, own_back,
    } without pad;
    StencilBack { enable: yes, reference, read_mask: bits, write_mask: bits } without pad;
    SetBlend {
        enable: yes, src_color: one_of::<BlendFactor>, dst_color: one_of::<BlendFactor>, color_op: one_of::<BlendOp>,
        src_alpha: one_of::<BlendFactor>, dst_alpha: one_of::<BlendFactor>, alpha_op: one_of::<BlendOp>,
        logic_op: one_of::<LogicOp>, write_masks: channels_of_each, constant,
    } without count pad;
    BlendTarget {
        enable: yes, src_color: one_of::<BlendFactor>, dst_color: one_of::<BlendFactor>, color_op: one_of::<BlendOp>,
        src_alpha: one_of::<BlendFactor>, dst_alpha: one_of::<BlendFactor>, alpha_op: one_of::<BlendOp>,
        write_mask: channels,
    };
    SetPixelOps {
        alpha_compare: one_of::<Compare>, fog: one_of::<FogMode>, flat: yes, point_sprite: yes, clip_planes: bits,
        projected: bits, alpha_ref, fog_start, fog_end, fog_color,
    } without pad pad2;
    SetVertexInput { id } without pad;
    SetVertexBuffers { first } without count;
    VertexBuffer { source: memory, stride, offset, size };
    SetIndexBuffer { source: memory, index_bytes, restart: yes, offset, size };
    SetShaders { vertex, pixel, geometry } without pad;
    SetFeedbackBuffers { first } without count;
    FeedbackBuffer { buffer, offset, size } without pad;
    SetTextures { first } without count;
    TextureBinding { texture, sampler };
    SetConstants { bank: bank_name, first } without count;
    SetStorage { stage: one_of::<Stage>, first } without count;
    StorageBinding { buffer, word: bits, offset, size };
    SetStorageImages { stage: one_of::<Stage>, first } without count;
    CreateTable { id, entries };
    UpdateTable { id, first } without count pad;
    TableEntry { tag, texture, sampler, value: bits, shape: shape_name, srgb: yes } without pad;
    StorageImage { view };

    Clear { flags: clear_flags, color, depth, stencil, stencil_keep: bits } without count pad;
    Draw { topology: one_of::<Topology>, first, count, instances, first_instance } without pad;
    DrawIndexed { topology: one_of::<Topology>, first, count, instances, base_vertex, first_instance };
    DrawIndirect { topology: one_of::<Topology>, indexed: yes, buffer, count, offset, stride } without pad;
    DrawByteCount { topology: one_of::<Topology>, instances, first_instance, counter, offset, counter_offset, stride };
    Dispatch { shader, groups };
    BeginFeedback { counters };
    EndFeedback { counters };
    Blit { src, dst, src_rect, dst_rect, filter: one_of::<Filter> } without pad;
    BeginQuery { id } without pad;
    EndQuery { id, token: bits } without pad;
    ReadBack { src, rect, row_pitch, token: bits, data } without pad;
    CopyBuffer { src, dst, src_offset, dst_offset, size };
    FillBuffer { id, value: bits, offset, size };
    ReadBuffer { id, offset, token: bits, data } without pad;
    TextureCopy {
        texture, buffer, level, layer, x, y, z, width, height, depth, row_pitch, slice_pitch, offset,
    } without pad;
    CopyToTexture { copy };
    CopyFromTexture { copy };
}

/// Every field of a packet, and behind those of its body the tail under a name of its own.
#[must_use]
pub fn fields(packet: &Packet<'_>) -> Vec<Field> {
    fn text(bytes: &[u8]) -> Value {
        Value::Text(String::from_utf8_lossy(bytes).into_owned())
    }
    let with = |body: &dyn Describe, name: &str, tail: Value| {
        let mut fields = body_fields(body);
        fields.push(Field { name: name.to_owned(), value: tail });
        fields
    };
    match *packet {
        Packet::Init(body, tail) => with(body, "program", text(tail)),
        Packet::Name(body, tail) => with(body, "name", text(tail)),
        Packet::Marker(body, tail) => with(body, "text", text(tail)),
        Packet::SetGamma(body, tail) => with(body, "steps", tail.describe()),
        Packet::CreateVertexInput(body, tail) => with(body, "attributes", tail.describe()),
        Packet::SetVertexBuffers(body, tail) => with(body, "buffers", tail.describe()),
        Packet::SetTextures(body, tail) => with(body, "bindings", tail.describe()),
        Packet::SetStorage(body, tail) => with(body, "bindings", tail.describe()),
        Packet::SetStorageImages(body, tail) => with(body, "images", tail.describe()),
        Packet::UpdateTable(body, tail) => with(body, "entries", tail.describe()),
        Packet::SetBlend(body, tail) => with(body, "targets", tail.describe()),
        Packet::SetFeedbackBuffers(body, tail) => with(body, "buffers", tail.describe()),
        Packet::SetViewports(body, tail) => with(body, "viewports", tail.describe()),
        Packet::Clear(body, tail) => with(body, "rectangles", tail.describe()),
        Packet::SetConstants(body, tail) => {
            let registers = tail.iter().map(|value| register(body.bank.into(), *value)).collect();
            with(body, "registers", Value::List(registers))
        }
        Packet::BeginFrame(body) => body_fields(body),
        Packet::Present(body) => body_fields(body),
        Packet::PresentTarget(body) => body_fields(body),
        Packet::Overlay(body) => body_fields(body),
        Packet::StateFigures(body) => body_fields(body),
        Packet::CreateBuffer(body) => body_fields(body),
        Packet::CreateTexture(body) => body_fields(body),
        Packet::CreateSampler(body) => body_fields(body),
        Packet::CreateShader(body) => body_fields(body),
        Packet::CreateQuery(body) => body_fields(body),
        Packet::CreateTable(body) => body_fields(body),
        Packet::CreateView(body) => body_fields(body),
        Packet::Destroy(body) => body_fields(body),
        Packet::UpdateBuffer(body) => body_fields(body),
        Packet::UpdateTexture(body) => body_fields(body),
        Packet::GenerateMips(body) => body_fields(body),
        Packet::SetRenderTargets(body) => body_fields(body),
        Packet::SetViewport(body) => body_fields(body),
        Packet::SetScissor(body) => body_fields(body),
        Packet::SetDepthBounds(body) => body_fields(body),
        Packet::SetRaster(body) => body_fields(body),
        Packet::SetDepthStencil(body) => body_fields(body),
        Packet::SetPixelOps(body) => body_fields(body),
        Packet::SetVertexInput(body) => body_fields(body),
        Packet::SetIndexBuffer(body) => body_fields(body),
        Packet::SetShaders(body) => body_fields(body),
        Packet::Draw(body) => body_fields(body),
        Packet::DrawIndexed(body) => body_fields(body),
        Packet::DrawIndirect(body) => body_fields(body),
        Packet::DrawByteCount(body) => body_fields(body),
        Packet::Dispatch(body) => body_fields(body),
        Packet::BeginFeedback(body) => body_fields(body),
        Packet::EndFeedback(body) => body_fields(body),
        Packet::Blit(body) => body_fields(body),
        Packet::BeginQuery(body) => body_fields(body),
        Packet::EndQuery(body) => body_fields(body),
        Packet::ReadBack(body) => body_fields(body),
        Packet::CopyBuffer(body) => body_fields(body),
        Packet::FillBuffer(body) => body_fields(body),
        Packet::ReadBuffer(body) => body_fields(body),
        Packet::CopyToTexture(body) => body_fields(body),
        Packet::CopyFromTexture(body) => body_fields(body),
    }
}

fn body_fields(body: &dyn Describe) -> Vec<Field> {
    match body.describe() {
        Value::Fields(fields) => fields,
        other => vec![Field { name: "value".into(), value: other }],
    }
}
