//! Between surfaces' images and memory.
//!
//! Pages that the processor wrote after the last draw stay as they are: draws notice such pages first, so what is newer than
//! the surface knows is also newer than what was drawn.

use super::layout::Wanted;
use super::texels::{self, generation};
use super::{Layout, Samples, Surface};
use crate::memory::GuestMemory;
use crate::translate::Translator;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, PortError};
use std::ops::Range;

/// Surfaces that are kept at once, and the bytes of their images.
const MOST: usize = 64;
const MOST_BYTES: u64 = 256 << 20;

impl Translator {
    /// Sees to it that a surface lives and has what is newest in its memory. Its size, which may be larger; `None` if it
    /// cannot be made.
    pub(super) fn acquire(&mut self, memory: &mut dyn GuestMemory, (layout, size): Wanted) -> Option<[u32; 2]> {
        let mut size = size;
        if let Some(surface) = self.surfaces.find(&layout) {
            let grown = [size[0].max(surface.size[0]), size[1].max(surface.size[1])];
            if grown != surface.size {
                let id = surface.id;
                self.drop_surface(memory, id);
            }
            size = grown;
        }
        let (address, bytes) = (layout.address, layout.bytes(size));
        self.store(memory, address, bytes, |surface| surface.layout != layout);
        let newest = generation(memory, address, bytes);
        let used = self.surfaces.tick();
        let done = match self.surfaces.find(&layout) {
            Some(surface) => {
                surface.used = used;
                let id = surface.id;
                if surface.generation < newest { self.refresh(memory, id) } else { Ok(()) }
            }
            None => {
                self.make_room(memory);
                self.create(memory, layout, size, used)
            }
        };
        match done {
            Ok(()) => Some(size),
            Err(error) => {
                self.once.warn(format!("surface of {} x {} samples: {error}", size[0], size[1]));
                None
            }
        }
    }

    fn create(
        &mut self,
        memory: &mut dyn GuestMemory,
        layout: Layout,
        size: [u32; 2],
        used: u64,
    ) -> Result<(), PortError> {
        let id = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateTexture {
            usage: CreateTexture::TARGET,
            ..CreateTexture::plain(id, layout.samples.host(), size)
        });
        let name = match layout.samples {
            Samples::Color(format) => format!("{format:?} surface at {:#x}", layout.address),
            Samples::Zeta(format) => format!("{format:?} surface at {:#x}", layout.address),
        };
        self.port.name(id, &name);
        tracing::debug!(%id, ?layout, ?size, "surface");
        let generation = generation(memory, layout.address, layout.bytes(size));
        self.surfaces.all.push(Surface { layout, size, id, generation, drawn: None, stray: false, change: used, used });
        self.upload(memory, id, 0..size[1])
    }

    /// Takes over what the processor wrote.
    fn refresh(&mut self, memory: &mut dyn GuestMemory, id: ObjectId) -> Result<(), PortError> {
        self.store_surface(memory, id);
        let change = self.surfaces.tick();
        let Some(surface) = self.surfaces.by_id(id) else { return Ok(()) };
        let rows = texels::newer_rows(memory, &surface.layout, surface.size, surface.generation);
        surface.generation = generation(memory, surface.layout.address, surface.bytes());
        surface.change = change;
        self.upload(memory, id, rows)
    }

    /// Rows of memory to the image.
    fn upload(&mut self, memory: &dyn GuestMemory, id: ObjectId, rows: Range<u32>) -> Result<(), PortError> {
        let Some(surface) = self.surfaces.by_id(id) else { return Ok(()) };
        if rows.is_empty() {
            return Ok(());
        }
        let (layout, [width, height]) = (surface.layout, surface.size);
        let texels = match texels::load(memory, &layout, surface.size, rows.clone()) {
            Ok((texels, stray)) => {
                surface.stray = stray || surface.stray && rows != (0..height);
                texels
            }
            Err(error) => {
                self.once.warn(format!("surface: {error}"));
                return Ok(());
            }
        };
        tracing::debug!(%id, ?rows, "surface from memory");
        let data = self.port.upload_bytes(&texels)?;
        self.port.push(&UpdateTexture {
            id,
            level: 0,
            layer: 0,
            x: 0,
            y: rows.start,
            z: 0,
            width,
            height: rows.end - rows.start,
            depth: 1,
            row_pitch: layout.samples.host().row_bytes(width),
            slice_pitch: 0,
            data,
        });
        Ok(())
    }

    /// Writes into memory what was drawn into a range of it, by the surfaces that `which` chooses.
    pub(in crate::translate) fn store(
        &mut self,
        memory: &mut dyn GuestMemory,
        address: u32,
        size: u32,
        which: impl Fn(&Surface) -> bool,
    ) {
        while let Some(surface) =
            self.surfaces.all.iter().find(|s| s.drawn.is_some() && s.overlaps(address, size) && which(s))
        {
            let id = surface.id;
            self.store_surface(memory, id);
        }
    }

    /// Writes what was drawn into a surface.
    fn store_surface(&mut self, memory: &mut dyn GuestMemory, id: ObjectId) {
        let Some(surface) = self.surfaces.by_id(id) else { return };
        let Some(rect) = surface.drawn.take().filter(|rect| !rect.is_empty()) else { return };
        let (layout, size, known) = (surface.layout, surface.size, (surface.generation, surface.stray));
        tracing::debug!(%id, ?rect, "surface to memory");
        let texels = match self.read_back(id, layout.samples.host(), rect) {
            Ok(texels) => texels,
            Err(error) => return self.once.warn(format!("reading a surface back: {error}")),
        };
        // Other surfaces that touch the same pages do not take this for the processor's writes, unless they share bytes.
        let current: Vec<bool> = self.surfaces.all.iter().map(|surface| surface.is_newest(memory)).collect();
        if let Err(error) = texels::store(memory, &layout, size, rect, texels, known) {
            self.once.warn(format!("surface: {error}"));
        }
        let (address, bytes) = (layout.address, layout.bytes(size));
        for (surface, current) in self.surfaces.all.iter_mut().zip(current) {
            if current && (surface.id == id || !surface.overlaps(address, bytes)) {
                surface.generation = generation(memory, surface.layout.address, surface.bytes());
            }
        }
    }

    /// Texels of an image, rows packed.
    fn read_back(&mut self, id: ObjectId, format: Format, rect: Rect) -> Result<Vec<u8>, PortError> {
        let row_pitch = format.row_bytes(rect.width);
        let size = row_pitch * rect.height;
        let data = self.port.upload(size, 16)?;
        let token = self.port.token();
        let src = View { texture: id, ..View::default() };
        self.port.push(&ReadBack { src, rect, row_pitch, pad: 0, token, data });
        let mut texels = vec![0; size as usize];
        if self.port.wait(token)? == 0 {
            return Err(PortError::Token(token));
        }
        self.port.read(&data, 0, &mut texels);
        Ok(texels)
    }

    /// Writes a surface into memory and lets it go.
    fn drop_surface(&mut self, memory: &mut dyn GuestMemory, id: ObjectId) {
        self.store_surface(memory, id);
        self.surfaces.all.retain(|surface| surface.id != id);
        for bound in [&mut self.surfaces.color, &mut self.surfaces.zeta] {
            bound.take_if(|bound| *bound == id);
        }
        self.destroy_texture(id);
    }

    /// Lets surfaces go that were not used for longest, until there is room for one more.
    fn make_room(&mut self, memory: &mut dyn GuestMemory) {
        let bytes = |s: &Surface| s.layout.samples.host().packed_size(s.size[0], s.size[1]);
        while self.surfaces.all.len() >= MOST || self.surfaces.all.iter().map(bytes).sum::<u64>() > MOST_BYTES {
            let Some(oldest) = self.surfaces.all.iter().min_by_key(|surface| surface.used).map(|s| s.id) else {
                return;
            };
            self.drop_surface(memory, oldest);
        }
    }
}
