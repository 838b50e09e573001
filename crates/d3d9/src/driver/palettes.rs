//! Palettes, which textures of the formats P8 and A8P8 are uploaded with.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::ImageId;
use afterimage_d3d9_types::PALETTEENTRY;
use afterimage_texture::d3d9::{Convert, Palette};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number that no palette has: none was chosen yet.
const NONE: u32 = 0xffff;

/// The palettes of a device.
#[derive(Debug)]
pub(crate) struct Palettes {
    all: FxHashMap<u32, Entries>,
    current: u32,
    /// The current one as colours. Before there is one, everything is white.
    pub(crate) colors: Box<Palette>,
    /// Tells the contents of palettes apart.
    pub(crate) version: u64,
    last_version: u64,
}

#[derive(Debug)]
struct Entries {
    entries: Box<[PALETTEENTRY; 256]>,
    version: u64,
}

impl Default for Palettes {
    fn default() -> Self {
        let colors = Box::new([u32::MAX; 256]);
        Self { all: FxHashMap::default(), current: NONE, colors, version: 0, last_version: 0 }
    }
}

impl Palettes {
    /// Makes colours of the current palette.
    fn apply(&mut self) {
        let Some(Entries { entries, version }) = self.all.get(&self.current) else { return };
        self.version = *version;
        for (color, entry) in self.colors.iter_mut().zip(entries.iter()) {
            *color = u32::from_be_bytes([0xff, entry.peRed, entry.peGreen, entry.peBlue]);
        }
    }
}

impl Device {
    /// `SetPaletteEntries`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] past the last palette, or with alpha.
    pub fn set_palette(&mut self, number: u32, entries: &[PALETTEENTRY; 256]) -> Result<()> {
        // Alpha palettes are a capability that we do not have.
        if number > 0xffff || entries.iter().any(|entry| entry.peFlags != 0xff) {
            return Err(Error::InvalidCall);
        }
        let palettes = &mut self.palettes;
        palettes.last_version += 1;
        let version = palettes.last_version;
        palettes.all.insert(number, Entries { entries: Box::new(*entries), version });
        if number == palettes.current {
            palettes.apply();
            self.palette_changed();
        }
        Ok(())
    }

    /// `GetPaletteEntries`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a palette that was never set.
    pub fn palette(&self, number: u32) -> Result<[PALETTEENTRY; 256]> {
        self.palettes.all.get(&number).map(|palette| *palette.entries).ok_or(Error::InvalidCall)
    }

    /// `SetCurrentTexturePalette`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a palette that was never set.
    pub fn set_current_palette(&mut self, number: u32) -> Result<()> {
        if !self.palettes.all.contains_key(&number) {
            return Err(Error::InvalidCall);
        }
        if self.palettes.current != number {
            self.palettes.current = number;
            self.palettes.apply();
            self.palette_changed();
        }
        Ok(())
    }

    /// `GetCurrentTexturePalette`.
    #[must_use]
    pub fn current_palette(&self) -> u32 {
        self.palettes.current
    }

    /// Bound textures that depend on the palette are looked at again before the next draw.
    fn palette_changed(&mut self) {
        for id in self.registers.textures.all().iter().copied().flatten().collect::<SmallVec<[ImageId; 8]>>() {
            if self.is_outdated(id) {
                self.registers.touch_texture(id);
            }
        }
    }

    /// Whether the receiver has texels that were made with another palette than the current one.
    pub(crate) fn is_outdated(&self, id: ImageId) -> bool {
        self.objects.images.get(id).is_some_and(|image| {
            image.row.convert.is_some_and(Convert::has_palette) && image.palette != self.palettes.version
        })
    }
}
