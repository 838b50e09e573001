//! `afterimage info FILE.aftercap`: what a capture holds.

use crate::Failure;
use crate::inspect::open;
use afterimage_inspect::terms::guest_name;
use afterimage_inspect::{CallKind, Capture};
use afterimage_stream::ObjectKind;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Objects of one kind.
#[derive(Default)]
struct Objects {
    count: u64,
    bytes: u64,
    named: u64,
}

/// By language and stage: how many were created, and the hashes of their code.
type Shaders = BTreeMap<(&'static str, String), (u64, BTreeSet<Option<u128>>)>;

/// What a capture holds, counted.
struct About {
    capture: Capture,
    file: u64,
    /// By kind of call.
    calls: BTreeMap<&'static str, u64>,
    packets: u64,
    objects: BTreeMap<&'static str, Objects>,
    shaders: Shaders,
}

impl About {
    fn of(path: &Path) -> Result<Self, Failure> {
        let capture = open(path)?;
        let file = std::fs::metadata(path).map_or(0, |about| about.len());
        let mut calls: BTreeMap<&'static str, u64> = BTreeMap::new();
        for call in capture.calls() {
            *calls.entry(call.kind.name()).or_default() += 1;
        }
        let packets = capture.batches().iter().map(|batch| afterimage_stream::Reader::new(&batch.words).count() as u64);
        let packets = packets.sum();
        let mut objects: BTreeMap<&'static str, Objects> = BTreeMap::new();
        for resource in capture.resources() {
            let name = match resource.kind {
                ObjectKind::Buffer => "buffers",
                ObjectKind::Texture => "textures",
                ObjectKind::Sampler => "samplers",
                ObjectKind::VertexInput => "vertex inputs",
                ObjectKind::Query => "queries",
                ObjectKind::Target => "present targets",
                ObjectKind::Table => "tables of textures",
                _ => continue,
            };
            let of_kind = objects.entry(name).or_default();
            of_kind.count += 1;
            of_kind.bytes = of_kind.bytes.saturating_add(resource.bytes);
            of_kind.named += u64::from(resource.name.is_some());
        }
        let mut shaders = Shaders::new();
        for shader in capture.shaders() {
            let stage = format!("{:?}", shader.stage).to_lowercase();
            let (count, hashes) = shaders.entry((shader.language_name(), stage)).or_default();
            *count += 1;
            hashes.insert(shader.hash);
        }
        Ok(Self { capture, file, calls, packets, objects, shaders })
    }

    /// Of the bytes that packets refer to, how many are there once only: 0 to 1.
    fn saved(&self) -> f64 {
        let sizes = self.capture.sizes();
        let saved = sizes.placed_bytes.saturating_sub(sizes.blob_bytes);
        if sizes.placed_bytes == 0 { 0.0 } else { saved as f64 / sizes.placed_bytes as f64 }
    }

    fn text(&self) -> String {
        let (info, sizes) = (self.capture.info(), self.capture.sizes());
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "{name:<8} {value}");
        };
        let guest = guest_name(self.capture.guest()).unwrap_or("unknown");
        for (name, value) in
            [("program", &*info.program), ("guest", guest), ("device", &info.device), ("build", &info.build)]
        {
            row(name, value.to_owned());
        }
        let frames = self.capture.frames();
        let span = match (frames.first(), frames.last()) {
            (Some(first), Some(last)) => {
                let open = if last.complete { "" } else { ", the last without its end" };
                format!("{} ({} to {}){open}", frames.len(), first.number, last.number)
            }
            _ => "none".into(),
        };
        row("frames", span);
        row("packets", self.packets.to_string());
        row("draws", self.calls.get(CallKind::Draw.name()).copied().unwrap_or(0).to_string());
        let calls: Vec<String> = self.calls.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        row("calls", if calls.is_empty() { "none".into() } else { calls.join(", ") });
        for ((language, stage), (count, hashes)) in &self.shaders {
            row("shaders", format!("{count} {language} {stage}, {} different", hashes.len()));
        }
        for (name, of_kind) in &self.objects {
            let bytes = if of_kind.bytes > 0 { format!(", {}", size(of_kind.bytes)) } else { String::new() };
            let named = if of_kind.named > 0 { format!(", {} with names", of_kind.named) } else { String::new() };
            row("objects", format!("{} {name}{bytes}{named}", of_kind.count));
        }
        row("file", size(self.file));
        for (tag, chunks) in sizes.chunks().filter(|(_, chunks)| chunks.count > 0) {
            let (count, stored, raw) = (chunks.count, size(chunks.stored), size(chunks.raw));
            row("chunks", format!("{tag} {count}, {stored}, {raw} unpacked"));
        }
        row(
            "data",
            format!(
                "{} pieces, {}; packets refer to {} times {}: {:.0} % was there already",
                sizes.blobs,
                size(sizes.blob_bytes),
                sizes.places,
                size(sizes.placed_bytes),
                100.0 * self.saved()
            ),
        );
        let rejected = self.capture.rejected();
        if rejected > 0 {
            row("refused", format!("{rejected} packets: afterimage inspect lists them"));
        }
        for damage in self.capture.damage().unwrap_or("none").lines() {
            row("damage", damage.to_owned());
        }
        text
    }

    fn json(&self) -> Value {
        let (info, sizes) = (self.capture.info(), self.capture.sizes());
        let frames = self.capture.frames();
        let object = |entries: Vec<(String, Value)>| Value::Object(entries.into_iter().collect::<Map<_, _>>());
        json!({
            "program": info.program, "device": info.device, "build": info.build,
            "guest": guest_name(self.capture.guest()),
            "frames": {
                "count": frames.len(), "first": frames.first().map(|frame| frame.number),
                "last": frames.last().map(|frame| frame.number),
                "complete": frames.last().is_some_and(|frame| frame.complete),
            },
            "packets": self.packets,
            "calls": self.calls,
            "shaders": self.shaders.iter().map(|((language, stage), (count, hashes))| {
                json!({ "language": language, "stage": stage, "count": count, "different": hashes.len() })
            }).collect::<Vec<_>>(),
            "objects": object(self.objects.iter().map(|(name, of_kind)| {
                ((*name).to_owned(), json!({ "count": of_kind.count, "bytes": of_kind.bytes, "named": of_kind.named }))
            }).collect()),
            "bytes": {
                "file": self.file, "packets": sizes.packet_bytes, "data": sizes.blob_bytes, "referred": sizes.placed_bytes,
                "pieces": sizes.blobs, "references": sizes.places,
                "chunks": object(sizes.chunks().map(|(tag, chunks)| {
                    (tag.to_owned(), json!({ "count": chunks.count, "stored": chunks.stored, "raw": chunks.raw }))
                }).collect()),
            },
            "refused": self.capture.rejected(),
            "damage": self.capture.damage().map(|damage| damage.lines().collect::<Vec<_>>()),
        })
    }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// What a capture holds, as text or as JSON.
pub(crate) fn about(path: &Path, json: bool) -> Result<String, Failure> {
    let about = About::of(path)?;
    Ok(if json { format!("{:#}\n", about.json()) } else { about.text() })
}
