//! Artifacts as bytes, for the disk cache.
//!
//! Little-endian, no padding: a byte for each small enumeration, `u32` for counts and numbers, lists as a count and the
//! items. The reader trusts nothing: a count is checked against the bytes that are left before anything is allocated.

use crate::{Artifact, ConstDef, InputUse, OutputUse, Reflection, Segment, SpecUse, TextureUse};
use afterimage_ir::{
    Component, Dim, FEEDBACK_BUFFERS, FEEDBACK_STREAMS, FeedbackUse, GeometryDecl, ImageDecl, ImageFormat, ImageUse,
    InputAt, InputPrimitive, Kind, OutputAt, OutputPrimitive, Semantic, Stage, Type,
};

/// Why bytes are no artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {field} is wrong or missing")]
pub struct ArtifactError {
    /// Place in the bytes.
    pub offset: usize,
    /// What should stand there.
    pub field: &'static str,
}

/// Writes an artifact.
pub fn encode_artifact(artifact: &Artifact) -> Vec<u8> {
    let r = &artifact.reflection;
    let mut w = Writer(Vec::with_capacity(artifact.words.len() * 4 + 256));
    w.byte(position(Stage::ALL, r.stage));
    w.byte(
        [r.system, r.demotes, r.loads, r.stores, r.feedback, r.interlocks]
            .iter()
            .rev()
            .fold(0, |bits, flag| bits << 1 | u8::from(*flag)),
    );
    w.list(&r.segments, |w, s| {
        w.byte(s.bank);
        w.word(s.first);
        w.word(s.count);
    });
    w.list(&r.const_defs, |w, d| {
        w.byte(d.bank);
        w.word(d.index);
        d.bits.iter().for_each(|bits| w.word(*bits));
    });
    w.list(&r.textures, |w, t| {
        w.byte(t.slot);
        w.byte(position(Dim::ALL, t.dim));
        w.byte(t.shadow.into());
        w.byte(position(Component::ALL, t.component));
    });
    w.byte(r.tables);
    w.list(&r.images, |w, i| {
        w.byte(i.decl.slot);
        w.byte(position(Dim::ALL, i.decl.dim));
        w.byte(position(Component::ALL, i.decl.component));
        w.byte(position(ImageFormat::ALL, i.decl.format));
        w.byte(u8::from(i.read) | u8::from(i.written) << 1);
    });
    r.group.iter().for_each(|lanes| w.word(*lanes));
    w.word(r.shared);
    w.list(&r.inputs, |w, i| {
        let (kind, number) = match i.at {
            InputAt::Location(n) => (0, n),
            InputAt::ClipDistance(n) => (1, n),
            InputAt::CullDistance(n) => (2, n),
            at => (3 + builtin(InputAt::BUILTINS.iter().map(|row| row.0), at), 0),
        };
        w.0.extend([kind, number]);
        w.interface(i.ty, i.semantic);
    });
    w.list(&r.outputs, |w, o| {
        w.place(o.at);
        w.interface(o.ty, o.semantic);
    });
    w.list(r.geometry.as_slice(), |w, g| {
        w.byte(position(InputPrimitive::ALL, g.input));
        w.byte(position(OutputPrimitive::ALL, g.output));
        w.word(g.vertices);
        w.word(g.invocations);
    });
    w.list(&r.feedback_outputs, |w, c| {
        w.place(c.at);
        [c.component, c.lanes, c.buffer, c.stream].iter().for_each(|byte| w.byte(*byte));
        w.word(c.stride);
        w.word(c.offset);
    });
    w.list(&r.specs, |w, s| {
        w.word(s.id);
        w.byte(position(&Kind::ALL, s.kind));
        w.word(s.default);
    });
    w.list(&artifact.words, |w, word| w.word(*word));
    w.0
}

/// Reads an artifact.
///
/// # Errors
/// The first field that is wrong.
pub fn decode_artifact(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
    let mut r = Reader { bytes, at: 0 };
    let stage = r.named("stage", Stage::ALL)?;
    let flags = r.byte("flags")?;
    let segments = r.list("segments", 9, |r| {
        Ok(Segment { bank: r.byte("bank")?, first: r.word("first")?, count: r.word("count")? })
    })?;
    let const_defs = r.list("definitions", 21, |r| {
        let (bank, index) = (r.byte("bank")?, r.word("register")?);
        let mut bits = [0; 4];
        for bits in &mut bits {
            *bits = r.word("value")?;
        }
        Ok(ConstDef { bank, index, bits })
    })?;
    let textures = r.list("textures", 4, |r| {
        let (slot, dim, shadow) = (r.byte("slot")?, r.named("shape", Dim::ALL)?, r.byte("shadow")? != 0);
        Ok(TextureUse { slot, dim, shadow, component: r.named("component kind", Component::ALL)? })
    })?;
    let tables = r.byte("tables")?;
    let images = r.list("images", 5, |r| {
        let (slot, dim) = (r.byte("slot")?, r.named("shape", Dim::ALL)?);
        let (component, format) = (r.named("component kind", Component::ALL)?, r.named("format", ImageFormat::ALL)?);
        let uses = r.byte("uses")?;
        let decl = ImageDecl { slot, dim, component, format };
        Ok(ImageUse { decl, read: uses & 1 != 0, written: uses & 2 != 0 })
    })?;
    let group = [r.word("group")?, r.word("group")?, r.word("group")?];
    let shared = r.word("shared memory")?;
    let inputs = r.list("inputs", INTERFACE_BYTES, |r| {
        let (kind, number) = (r.byte("place")?, r.byte("number")?);
        let (ty, semantic) = r.interface()?;
        let at = match kind {
            0 => InputAt::Location(number),
            1 => InputAt::ClipDistance(number),
            2 => InputAt::CullDistance(number),
            _ => match InputAt::BUILTINS.get(kind as usize - 3) {
                Some(row) => row.0,
                None => return Err(r.wrong("input place")),
            },
        };
        Ok(InputUse { at, ty, semantic })
    })?;
    let outputs = r.list("outputs", INTERFACE_BYTES, |r| {
        let at = r.place()?;
        let (ty, semantic) = r.interface()?;
        Ok(OutputUse { at, ty, semantic })
    })?;
    let geometry = r.list("primitives", 10, |r| {
        let (input, output) = (r.named("input", InputPrimitive::ALL)?, r.named("output", OutputPrimitive::ALL)?);
        let (vertices, invocations) = (r.word("vertices")?, r.word("invocations")?);
        Ok(GeometryDecl { input, output, vertices, invocations })
    })?;
    let feedback_outputs = r.list("feedback outputs", 14, |r| {
        let at = r.place()?;
        let (component, lanes) = (r.byte("component")?, r.byte("lanes")?);
        let (buffer, stream) = (r.byte("buffer")?, r.byte("stream")?);
        if buffer >= FEEDBACK_BUFFERS || stream >= FEEDBACK_STREAMS {
            return Err(r.wrong("buffer or stream"));
        }
        let (stride, offset) = (r.word("stride")?, r.word("offset")?);
        Ok(FeedbackUse { at, component, lanes, buffer, stream, stride, offset })
    })?;
    let specs = r.list("specialisation constants", 9, |r| {
        Ok(SpecUse { id: r.word("number")?, kind: r.named("kind", &Kind::ALL)?, default: r.word("default")? })
    })?;
    let words = r.list("words", 4, |r| r.word("word"))?;
    if r.at != bytes.len() {
        return Err(r.wrong("end"));
    }
    let [system, demotes, loads, stores, feedback, interlocks] = [1, 2, 4, 8, 16, 32].map(|flag| flags & flag != 0);
    let reflection = Reflection {
        stage,
        segments,
        const_defs,
        system,
        feedback,
        textures,
        tables,
        images,
        group,
        shared,
        inputs,
        outputs,
        geometry: geometry.into_iter().next(),
        feedback_outputs,
        specs,
        demotes,
        loads,
        stores,
        interlocks,
    };
    Ok(Artifact { words, reflection })
}

/// Bytes of an input or output.
const INTERFACE_BYTES: usize = 7;

fn position<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    builtin(all.iter().copied(), value)
}

/// Place of a value in a list.
fn builtin<T: PartialEq>(mut all: impl Iterator<Item = T>, value: T) -> u8 {
    all.position(|other| other == value).unwrap_or_default() as u8
}

struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    fn word(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.word(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
    }

    fn place(&mut self, at: OutputAt) {
        self.0.extend(match at {
            OutputAt::Location(n) => [0, n],
            OutputAt::ClipDistance(n) => [1, n],
            OutputAt::CullDistance(n) => [2, n],
            at => [3 + builtin(OutputAt::BUILTINS.iter().map(|row| row.0), at), 0],
        });
    }

    fn interface(&mut self, ty: Type, semantic: Option<Semantic>) {
        self.0.extend([position(&Kind::ALL, ty.kind), ty.lanes]);
        match semantic {
            Some(semantic) => self.0.extend([1, semantic.usage, semantic.index]),
            None => self.0.extend([0; 3]),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Read<T> = Result<T, ArtifactError>;

impl Reader<'_> {
    fn wrong(&self, field: &'static str) -> ArtifactError {
        ArtifactError { offset: self.at, field }
    }

    fn byte(&mut self, field: &'static str) -> Read<u8> {
        let byte = *self.bytes.get(self.at).ok_or(self.wrong(field))?;
        self.at += 1;
        Ok(byte)
    }

    fn word(&mut self, field: &'static str) -> Read<u32> {
        let word = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()).ok_or(self.wrong(field))?;
        self.at += 4;
        Ok(u32::from_le_bytes(*word))
    }

    fn named<T: Copy>(&mut self, field: &'static str, all: &[T]) -> Read<T> {
        let wrong = self.wrong(field);
        let number = self.byte(field)?;
        all.get(usize::from(number)).copied().ok_or(wrong)
    }

    fn list<T>(
        &mut self,
        field: &'static str,
        item: usize,
        mut read: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        let wrong = self.wrong(field);
        let count = self.word(field)? as usize;
        if count > (self.bytes.len() - self.at) / item {
            return Err(wrong);
        }
        (0..count).map(|_| read(self)).collect()
    }

    fn place(&mut self) -> Read<OutputAt> {
        let (kind, number) = (self.byte("place")?, self.byte("number")?);
        match kind {
            0 => Ok(OutputAt::Location(number)),
            1 => Ok(OutputAt::ClipDistance(number)),
            2 => Ok(OutputAt::CullDistance(number)),
            _ => match OutputAt::BUILTINS.get(kind as usize - 3) {
                Some(row) => Ok(row.0),
                None => Err(self.wrong("output place")),
            },
        }
    }

    fn interface(&mut self) -> Read<(Type, Option<Semantic>)> {
        let kind = self.named("kind", &Kind::ALL)?;
        let lanes = self.byte("lanes")?;
        if !(1..=4).contains(&lanes) {
            return Err(self.wrong("lanes"));
        }
        let [has, usage, index] = [self.byte("semantic")?, self.byte("usage")?, self.byte("index")?];
        Ok((Type::new(kind, lanes), (has != 0).then_some(Semantic { usage, index })))
    }
}
