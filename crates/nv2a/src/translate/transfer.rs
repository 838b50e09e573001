//! Ends of frames, and what was drawn on its way back into memory.

use super::Translator;
use crate::memory::GuestMemory;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, PortError};

/// Where a receiver shows frames. Without a window they are shown nowhere; ending them is what lets both sides reuse upload
/// memory and ids.
#[derive(Debug, Default)]
pub(super) struct Screen {
    target: ObjectId,
    /// What is shown where no colour surface is bound.
    blank: ObjectId,
}

impl Screen {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut afterimage_stream::Port) {
        for id in [&mut self.target, &mut self.blank].map(std::mem::take) {
            if !id.is_none() {
                port.recycle(id);
            }
        }
    }
}

impl Translator {
    /// Writes into memory what was drawn into a range of it.
    pub(super) fn write_back_range(&mut self, memory: &mut dyn GuestMemory, address: u32, size: u32) {
        self.store(memory, address, size, |_| true);
    }

    /// Ends the frame with the colour surface as its picture.
    pub(super) fn end_frame(&mut self) {
        match self.present() {
            Ok(()) => self.port.end_frame(),
            Err(error) => {
                self.once.warn(format!("end of a frame: {error}"));
                self.port.flush();
            }
        }
    }

    fn present(&mut self) -> Result<(), PortError> {
        let surface = self.surfaces.bound_color().map(|surface| (surface.id, surface.size));
        let (texture, [width, height]) = match surface {
            Some(surface) => surface,
            None => (self.blank()?, [1, 1]),
        };
        if self.screen.target.is_none() {
            self.screen.target = self.port.allocate(ObjectKind::Target)?;
            let window_kind = WindowKind::Headless as u32;
            self.port.push(&PresentTarget { id: self.screen.target, width, height, window_kind, window: 0 });
        }
        self.port.push(&StateFigures::from(std::mem::take(&mut self.figures)));
        let frame = self.port.frame();
        self.port.push(&Present {
            frame,
            target: self.screen.target,
            texture,
            src: Rect::default(),
            dst: Rect::default(),
            interval: 0,
            pad: 0,
        });
        Ok(())
    }

    fn blank(&mut self) -> Result<ObjectId, PortError> {
        if self.screen.blank.is_none() {
            let id = self.port.allocate(ObjectKind::Texture)?;
            self.port.push(&CreateTexture {
                usage: CreateTexture::TARGET,
                ..CreateTexture::plain(id, Format::B8G8R8A8_UNORM, [1, 1])
            });
            self.screen.blank = id;
        }
        Ok(self.screen.blank)
    }
}
