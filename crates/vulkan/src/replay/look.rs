//! What a texture holds, for people.

use crate::error::Result;
use crate::renderer::Renderer;
use afterimage_render::texels::Texels;
use afterimage_stream::FormatFeatures;
use afterimage_stream::packets::{Rect, View};

impl Renderer {
    /// What a subresource holds after everything executed so far. Of several samples, colours are averaged and of depth and
    /// integers the first is taken. `None` where there is no such subresource, or nothing can read it.
    ///
    /// # Errors
    /// Where the device is lost or has no memory left.
    pub fn look(&mut self, view: View) -> Result<Option<Texels>> {
        let asked = view;
        let view = self.rooted(view);
        let Some(shown) = self.resources.textures.get(asked.texture) else { return Ok(None) };
        let format = shown.format;
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let slices = if texture.is_3d() { texture.extent(view.level.into()).depth } else { texture.desc.layers };
        if u32::from(view.level) >= texture.desc.levels || u32::from(view.layer) >= slices {
            return Ok(None);
        }
        let extent = texture.extent(view.level.into());
        let rect = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
        let compressed = texture.format.info().block > 1;
        let blits = texture.choice.features & FormatFeatures::BLIT_SOURCE != 0;
        let flat = match (compressed, texture.desc.samples > 1) {
            (true, _) if !blits => return Ok(None),
            (true, _) => self.flatten_blocks(view)?,
            (false, true) => self.flatten_samples(view)?,
            (false, false) => None,
        };
        let copied = match flat {
            Some(flat) => Some(self.copy_flat(flat, rect)?),
            None => self.copy_texels(view, rect, 1)?,
        };
        let Some(copied) = copied else { return Ok(None) };
        let root = self.resources.textures.get(view.texture).map_or(format, |texture| texture.format);
        let same_blocks =
            compressed && (format.info().block, format.info().bytes) == (root.info().block, root.info().bytes);
        let blocks = if same_blocks { self.copy_texels(view, rect, 1)? } else { None };
        let number = self.submit()?;
        self.recorder.submissions.wait(number)?;
        let bytes = copied.texels();
        let blocks = blocks.map(|blocks| blocks.texels());
        let read = (Texels::layout(format, root), bytes);
        Ok(Some(Texels::new(asked, format, [rect.width, rect.height], read, blocks)))
    }
}
