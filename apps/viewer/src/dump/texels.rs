//! What textures hold when a call reads them: as raw bytes, as pictures, and all of each in one file.

use crate::graphics::Walks;
use crate::session;
use afterimage_inspect::{Access, Capture, Walk, dds_header, subresource_name, subresources};
use afterimage_stream::packets::Effect;
use afterimage_stream::packets::{CreateTexture, View};
use afterimage_stream::{Created, Format, ObjectId, ObjectKind, State};
use afterimage_vulkan::Texels;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// Texture, level, layer, and in which version.
type Part = (ObjectId, u16, u16, u32);

/// Files of textures. A texture that was written since is looked at again.
pub(super) struct TextureFiles {
    stepper: Box<dyn Walks>,
    folder: PathBuf,
    /// Before the names of files.
    name: String,
    /// How often something may have changed a texture.
    versions: HashMap<ObjectId, u32>,
    /// What has been looked at, in which version, and its files: none where it cannot be read.
    done: HashMap<Part, Vec<String>>,
    /// Textures of which all was looked at, in which version, and the files.
    whole: HashMap<(ObjectId, u32), Vec<String>>,
    /// The call that the stepper stands behind.
    at: Option<u64>,
}

/// The texture whose texels those of a view are.
fn root(state: &State, id: ObjectId) -> ObjectId {
    match state.objects.get(id) {
        Some(Created::View(view, _)) => view.source,
        _ => id,
    }
}

impl TextureFiles {
    /// Writes into this folder, with this name before every file's.
    pub(super) fn new(stepper: Box<dyn Walks>, folder: &Path, name: &str) -> Self {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        Self { stepper, folder, name, versions: HashMap::new(), done: HashMap::new(), whole: HashMap::new(), at: None }
    }

    fn changed(&mut self, id: ObjectId) {
        if id.kind() == Some(ObjectKind::Texture) {
            *self.versions.entry(id).or_default() += 1;
        }
    }

    /// Notes what packets before a call upload.
    pub(super) fn uploads(&mut self, capture: &Capture, walk: &Walk<'_>, call: u64) {
        for (_, packet) in capture.packets_of(call) {
            let mut uploads = false;
            packet.effects(|effect| match effect {
                Effect::Creates { id, of } => self.changed(if of.is_none() { id } else { of }),
                Effect::Uploads(_) => uploads = true,
                Effect::Writes(part, _) if uploads => self.changed(root(walk.state(), part.id)),
                _ => {}
            });
        }
    }

    /// The files of what a call reads, written now where they are new.
    ///
    /// # Errors
    /// A file cannot be written, or the device is lost.
    pub(super) fn of_call(
        &mut self,
        state: &State,
        call: u64,
        reads: &[Access],
        writes: &[Access],
    ) -> io::Result<BTreeSet<String>> {
        let mut files = BTreeSet::new();
        let is_texture = |access: &&Access| access.id.kind() == Some(ObjectKind::Texture);
        for access in reads.iter().filter(is_texture) {
            let version = self.versions.get(&root(state, access.id)).copied().unwrap_or_default();
            let Some(texture) = state.objects.texture(access.id) else { continue };
            match access.view {
                Some(view) => {
                    let part = (texture.id, view.level, view.layer, version);
                    if !self.done.contains_key(&part) {
                        self.part(texture, view, version, call)?;
                    }
                    files.extend(self.done[&part].iter().cloned());
                }
                None => {
                    let texture_then = (texture.id, version);
                    if !self.whole.contains_key(&texture_then) {
                        let written = self.all(texture, version, call)?;
                        self.whole.insert(texture_then, written);
                    }
                    files.extend(self.whole[&texture_then].iter().cloned());
                }
            }
        }
        writes.iter().for_each(|access| self.changed(root(state, access.id)));
        Ok(files)
    }

    /// Goes behind a call.
    fn go(&mut self, call: u64) -> io::Result<()> {
        if self.at != Some(call) {
            self.stepper.run_to(call).map_err(io::Error::other)?;
            self.at = Some(call);
        }
        Ok(())
    }

    /// Writes a texture that is read as a whole: the files of its parts, and one of all where the format has a number there and
    /// every part can be read.
    fn all(&mut self, texture: &CreateTexture, version: u32, call: u64) -> io::Result<Vec<String>> {
        let mut files = Vec::new();
        let format = Format::from_bits(texture.format);
        let mut dds = format.and_then(|format| dds_header(texture, format));
        for view in subresources(texture) {
            let look = self.part(texture, view, version, call)?;
            match (&mut dds, look.as_ref().and_then(Texels::bytes)) {
                (Some(dds), Some(bytes)) => dds.extend_from_slice(bytes),
                _ => dds = None,
            }
            files.extend(self.done[&(texture.id, view.level, view.layer, version)].iter().cloned());
        }
        if let (Some(dds), Some(format)) = (dds, format) {
            let name = self.texture_name(texture.id, texture.width, texture.height, format);
            files.push(format!("{name}_v{version}.dds"));
            session::write(&self.folder.join(files.last().map_or("", String::as_str)), |out| out.write_all(&dds))?;
        }
        Ok(files)
    }

    fn texture_name(&self, id: ObjectId, width: u32, height: u32, format: Format) -> String {
        format!("{}_tex_{}_{width}x{height}_{}", self.name, id.serial(), format.info().name)
    }

    /// Writes the files of a subresource, and notes them. `None` where it cannot be read.
    fn part(&mut self, texture: &CreateTexture, view: View, version: u32, call: u64) -> io::Result<Option<Texels>> {
        // Behind the call, which leaves alone what it reads.
        self.go(call)?;
        let view = View { texture: texture.id, ..view };
        let look = self.stepper.picture(view).map_err(io::Error::other)?;
        let mut files = Vec::new();
        if let Some(look) = &look {
            let name = self.texture_name(texture.id, look.width, look.height, look.format);
            let name = format!("{name}_{}_v{version}", subresource_name(texture, view));
            if let Some(bytes) = look.bytes() {
                files.push(format!("{name}.raw"));
                session::write(&self.folder.join(&files[0]), |out| out.write_all(bytes))?;
            }
            files.push(format!("{name}.png"));
            self.png(look, files.last().map_or("", String::as_str))?;
        }
        self.done.insert((texture.id, view.level, view.layer, version), files);
        Ok(look)
    }

    fn png(&self, look: &Texels, file: &str) -> io::Result<()> {
        session::write(&self.folder.join(file), |out| {
            let mut encoder = png::Encoder::new(out, look.width, look.height);
            encoder.set_color(png::ColorType::Rgba);
            encoder.set_compression(png::Compression::Fast);
            let mut writer = encoder.write_header().map_err(io::Error::other)?;
            writer.write_image_data(&look.rgba()).map_err(io::Error::other)?;
            writer.finish().map_err(io::Error::other)
        })
    }

    /// The picture that a call presents, if it is one that shows something.
    ///
    /// # Errors
    /// As [`TextureFiles::of_call`].
    pub(super) fn shown(&mut self, call: u64) -> io::Result<Option<String>> {
        self.go(call)?;
        let Some(view) = self.stepper.shown() else { return Ok(None) };
        let Some(look) = self.stepper.picture(view).map_err(io::Error::other)? else { return Ok(None) };
        let file = format!("{}_shown_at_call_{call}.png", self.name);
        self.png(&look, &file)?;
        Ok(Some(file))
    }
}
