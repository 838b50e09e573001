//! What textures hold when a call reads them: as raw bytes and as pictures.

use crate::session;
use afterimage_inspect::{Access, Capture, Walk};
use afterimage_stream::packets::View;
use afterimage_stream::{Created, ObjectId, ObjectKind, Packet, State};
use afterimage_vulkan::{Look, Stepper};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// Texture, level, layer, and in which version.
type Part = (ObjectId, u32, u32, u32);

/// Files of textures. A texture that was written since is looked at again.
pub(super) struct Texels {
    stepper: Stepper,
    folder: PathBuf,
    /// Before the names of files.
    name: String,
    /// How often something may have changed a texture.
    versions: HashMap<ObjectId, u32>,
    /// What has been looked at, in which version, and its files: none where it cannot be read.
    done: HashMap<Part, Vec<String>>,
}

/// The texture whose texels those of a view are.
fn root(state: &State, id: ObjectId) -> ObjectId {
    match state.objects.get(id) {
        Some(Created::View(view, _)) => view.source,
        _ => id,
    }
}

/// Every subresource of a texture, or the one that is read.
fn views(state: &State, access: &Access) -> Vec<View> {
    let Some(texture) = state.objects.texture(access.id) else { return Vec::new() };
    if let Some(view) = access.view {
        return vec![view];
    }
    let levels = 0..u8::try_from(texture.levels).unwrap_or(u8::MAX);
    let slices = |level: u8| match texture.depth {
        0 | 1 => texture.layers,
        depth => depth.checked_shr(level.into()).unwrap_or(0).max(1),
    };
    let of_level = |level| (0..slices(level)).map(move |layer| (level, layer));
    levels
        .flat_map(of_level)
        .filter_map(|(level, layer)| {
            Some(View { texture: access.id, level: level.into(), layer: layer.try_into().ok()? })
        })
        .collect()
}

impl Texels {
    /// Writes into this folder, with this name before every file's.
    pub(super) fn new(stepper: Stepper, folder: &Path, name: &str) -> Self {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        Self { stepper, folder, name, versions: HashMap::new(), done: HashMap::new() }
    }

    fn changed(&mut self, id: ObjectId) {
        if id.kind() == Some(ObjectKind::Texture) {
            *self.versions.entry(id).or_default() += 1;
        }
    }

    /// Notes what packets before a call upload.
    pub(super) fn uploads(&mut self, capture: &Capture, walk: &Walk<'_>, call: u64) {
        for (_, packet) in capture.packets_of(call) {
            match packet {
                Packet::CreateTexture(body) => self.changed(body.id),
                Packet::CreateView(body) => self.changed(body.id),
                Packet::UpdateTexture(body) => self.changed(root(walk.state(), body.id)),
                _ => {}
            }
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
        let mut there = false;
        let is_texture = |access: &&Access| access.id.kind() == Some(ObjectKind::Texture);
        for access in reads.iter().filter(is_texture) {
            let version = self.versions.get(&root(state, access.id)).copied().unwrap_or_default();
            for view in views(state, access) {
                let part = (view.texture, view.level.into(), view.layer.into(), version);
                if !self.done.contains_key(&part) {
                    // Behind the call, which leaves alone what it reads.
                    if !std::mem::replace(&mut there, true) {
                        self.stepper.run_to(call).map_err(io::Error::other)?;
                    }
                    let written = self.look(view, version)?;
                    self.done.insert(part, written);
                }
                files.extend(self.done[&part].iter().cloned());
            }
        }
        writes.iter().for_each(|access| self.changed(root(state, access.id)));
        Ok(files)
    }

    fn look(&mut self, view: View, version: u32) -> io::Result<Vec<String>> {
        let Some(look) = self.stepper.picture(view).map_err(io::Error::other)? else { return Ok(Vec::new()) };
        let name = format!(
            "{}_tex_{}_{}x{}_{}_level{}_layer{}_v{version}",
            self.name,
            view.texture.serial(),
            look.width,
            look.height,
            look.format.info().name,
            view.level,
            view.layer
        );
        let mut files = Vec::new();
        if let Some(bytes) = look.bytes() {
            files.push(format!("{name}.raw"));
            session::write(&self.folder.join(&files[0]), |out| out.write_all(bytes))?;
        }
        files.push(format!("{name}.png"));
        self.png(&look, files.last().map_or("", String::as_str))?;
        Ok(files)
    }

    fn png(&self, look: &Look, file: &str) -> io::Result<()> {
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
    /// As [`Texels::of_call`].
    pub(super) fn shown(&mut self, call: u64) -> io::Result<Option<String>> {
        self.stepper.run_to(call).map_err(io::Error::other)?;
        let Some(view) = self.stepper.shown() else { return Ok(None) };
        let Some(look) = self.stepper.picture(view).map_err(io::Error::other)? else { return Ok(None) };
        let file = format!("{}_shown_at_call_{call}.png", self.name);
        self.png(&look, &file)?;
        Ok(Some(file))
    }
}
