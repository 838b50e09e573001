//! Textures of a capture: which there are, and what they hold, as files.

use super::views::{Shown, Text, document, table};
use crate::outputs::fill;
use crate::{Failure, own_process};
use afterimage_inspect::{Access, Moment, Resource, dds_header, subresource_name, subresources};
use afterimage_output::{Channels, Output, png};
use afterimage_stream::packets::CreateTexture;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use afterimage_vulkan::{Options, Renderer, StepError, Stepper, Wishes};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Letters of a guest's name that are part of a file's.
const NAME: usize = 40;

/// A texture that is written, and when.
struct Wanted<'a> {
    resource: &'a Resource,
    /// Behind this call; behind everything if there is none.
    call: Option<u64>,
    /// How many textures had the id before.
    again: usize,
}

/// What became of it.
struct Exported {
    description: String,
    files: Vec<String>,
    why: Option<String>,
}

impl Shown<'_> {
    /// The textures of a call, or all.
    pub(super) fn textures(&self) -> Text {
        self.listed(&self.wanted().iter().map(|wanted| wanted.resource).collect::<Vec<_>>())
    }

    fn wanted(&self) -> Vec<Wanted<'_>> {
        let all = self.capture.resources();
        let textures = all.iter().enumerate().filter(|(_, resource)| resource.kind == ObjectKind::Texture);
        let accessed: Option<Vec<ObjectId>> = self.args.call.map(|call| {
            let mut walk = self.capture.walk();
            walk.to(call);
            let accesses = walk.accesses();
            accesses.reads.iter().chain(&accesses.writes).map(|access: &Access| access.id).collect()
        });
        let wanted = textures.filter(|(_, resource)| match (&accessed, self.args.call) {
            (Some(accessed), Some(call)) => accessed.contains(&resource.id) && resource.lives_at(call),
            _ => true,
        });
        let mut wanted: Vec<Wanted<'_>> = wanted
            .filter_map(|(at, resource)| {
                let end = match resource.destroyed {
                    // The last call that it is there for; those that are there for none hold nothing that anybody sees.
                    Some(Moment::Before(next)) => {
                        Some(next.checked_sub(1).filter(|last| resource.created.is_before(*last))?)
                    }
                    Some(Moment::Keyframe) => return None,
                    None => None,
                };
                let again = all[..at].iter().filter(|other| other.id == resource.id).count();
                Some(Wanted { resource, call: self.args.call.or(end), again })
            })
            .collect();
        wanted.sort_by_key(|wanted| wanted.call.unwrap_or(u64::MAX));
        wanted
    }
}

/// Replays the capture and writes its textures into a folder; the text says which.
pub(super) fn export(shown: &Shown<'_>, file: &Path, folder: &Path) -> Text {
    let failed = |error: StepError| Failure::new(format!("{}: {error}", file.display()));
    let wanted = shown.wanted();
    fill(folder, false).map_err(|error| Failure::file("creating", folder, error))?;
    let options = own_process::options();
    let options = Options { wishes: Wishes::default(), ..options };
    let renderer =
        Renderer::new(options).map_err(|error| Failure::new(format!("textures are read by replaying: {error}")))?;
    let mut stepper = Stepper::open(renderer, file).map_err(failed)?;
    // Nobody goes back here.
    stepper.keep_every(u64::MAX);
    let mut exported = Vec::with_capacity(wanted.len());
    let mut at = None;
    for wanted in &wanted {
        if at != Some(wanted.call) {
            match wanted.call {
                Some(call) => stepper.run_to(call),
                None => stepper.run_to_end(),
            }
            .map_err(failed)?;
            at = Some(wanted.call);
        }
        exported.push((wanted, one(&mut stepper, wanted, folder)?));
    }
    if shown.args.json {
        let entry = |(wanted, exported): &(&Wanted<'_>, Exported)| {
            json!({
                "id": wanted.resource.id.to_string(), "name": wanted.resource.name, "call": wanted.call,
                "description": exported.description, "files": exported.files, "why": exported.why,
            })
        };
        return document(&exported.iter().map(entry).collect());
    }
    let row = |(wanted, exported): &(&Wanted<'_>, Exported)| {
        let call = wanted.call.map_or_else(|| "the end".to_owned(), |call| format!("call {call}"));
        let count =
            |extension: &str| exported.files.iter().filter(|file| file.ends_with(extension)).count().to_string();
        let why = exported.why.as_deref().map_or_else(String::new, |why| format!(" ({why})"));
        let name = wanted.resource.name.as_ref().map_or_else(String::new, |name| format!("{name:?} "));
        let words = format!("{name}{}{why}", exported.description);
        vec![wanted.resource.id.to_string(), call, count(".png"), count(".dds"), words]
    };
    let rows: Vec<Vec<String>> = exported.iter().map(row).collect();
    let files: usize = exported.iter().map(|(_, exported)| exported.files.len()).sum();
    let textures = exported.iter().filter(|(_, exported)| !exported.files.is_empty()).count();
    let mut text = table(&["id", "behind", "png", "dds", "description"], &rows);
    text += &format!("{files} files of {textures} textures in {}\n", folder.display());
    Ok(text)
}

/// Writes a texture as it is now.
fn one(stepper: &mut Stepper, wanted: &Wanted<'_>, folder: &Path) -> Result<Exported, Failure> {
    let resource = wanted.resource;
    let mut exported = Exported { description: resource.description.clone(), files: Vec::new(), why: None };
    let Some(texture) = stepper.state().objects.texture(resource.id).copied() else {
        exported.why = Some("it was refused, or is not there when calls are done".to_owned());
        return Ok(exported);
    };
    let Some(format) = Format::from_bits(texture.format) else { return Ok(exported) };
    let name = file_name(wanted, &texture, format);
    let dds = format!("{name}.dds");
    let path = folder.join(&dds);
    let unwritten = |path: &Path| {
        let path = path.to_owned();
        move |error| Failure::file("writing", &path, error)
    };
    let mut whole = match dds_header(&texture, format) {
        Some(header) => {
            let mut out = Output::create(&path).map_err(unwritten(&path))?;
            out.write_all(&header).map_err(unwritten(&path))?;
            Some(out)
        }
        None => {
            exported.why = Some(format!("no DDS: DXGI has no {}", format.info().name));
            None
        }
    };
    let (mut parts, mut unread) = (0, 0);
    for view in subresources(&texture) {
        parts += 1;
        let looked = stepper.picture(view).map_err(|error| Failure::new(error.to_string()))?;
        let Some(look) = looked else {
            (whole, unread) = (None, unread + 1);
            continue;
        };
        whole = match (whole, look.bytes()) {
            (Some(mut out), Some(bytes)) => {
                out.write_all(bytes).map_err(unwritten(&path))?;
                Some(out)
            }
            _ => None,
        };
        let part = format!("{name}_{}", subresource_name(&texture, view));
        let pictures = [(String::new(), Some(look.rgba())), ("_stencil".to_owned(), look.stencil_rgba())];
        for (suffix, rgba) in pictures {
            let Some(rgba) = rgba else { continue };
            let file = format!("{part}{suffix}.png");
            let path = folder.join(&file);
            png(&path, [look.width, look.height], Channels::Rgba, &rgba).map_err(unwritten(&path))?;
            exported.files.push(file);
        }
    }
    match whole {
        Some(out) => {
            out.finish().map_err(unwritten(&path))?;
            exported.files.push(dds);
        }
        None if unread > 0 => exported.why = Some(format!("{unread} of {parts} levels and layers cannot be read")),
        None if exported.why.is_none() => {
            exported.why = Some("no DDS: it has texels of another size than its format".to_owned());
        }
        None => {}
    }
    Ok(exported)
}

/// `texture_2_skin_64x32_B8G8R8A8_UNORM`; behind the number how many textures had that before, if any.
fn file_name(wanted: &Wanted<'_>, texture: &CreateTexture, format: Format) -> String {
    let serial = wanted.resource.id.serial();
    let again = if wanted.again > 0 { format!("-{}", wanted.again) } else { String::new() };
    let name = wanted.resource.name.as_deref().unwrap_or_default().chars().take(NAME);
    let name: String = name.map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let name = if name.is_empty() { name } else { format!("_{name}") };
    format!("texture_{serial}{again}{name}_{}x{}_{}", texture.width, texture.height, format.info().name)
}
