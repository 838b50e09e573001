//! What graphics debuggers show: names of objects, groups of commands, marks between them.

use crate::renderer::Renderer;
use afterimage_stream::packets::Marker;
use afterimage_stream::{ObjectId, ObjectKind};

/// Groups of markers inside of each other that are shown; those further in are left out.
const MOST_GROUPS: u32 = 64;

impl Renderer {
    /// [`Name`](afterimage_stream::packets::Name), for graphics debuggers.
    pub(crate) fn name_object(&mut self, id: ObjectId, name: &str) {
        let name = format!("{id} {name}");
        match id.kind() {
            Some(ObjectKind::Texture) => {
                if let Some(texture) = self.resources.textures.get(id) {
                    self.gpu.name(texture.image.raw, &name);
                }
            }
            Some(ObjectKind::Buffer) => {
                if let Some(own) = self.resources.buffers.get(id).and_then(|buffer| buffer.own.as_ref()) {
                    self.gpu.name(own.raw, &name);
                }
            }
            _ => {}
        }
    }

    /// [`Marker`]. Where nobody looks, it stands between no draws.
    pub(crate) fn marker(&mut self, marker: &Marker, text: &[u8]) {
        if !self.gpu.shows_labels {
            return;
        }
        let text = &*String::from_utf8_lossy(text);
        self.flush_draws();
        let cmd = self.recorder.main();
        let [blue, green, red, alpha] = marker.color.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
        let color = [red, green, blue, alpha];
        // Vulkan counts groups by queue, so they may go over submissions.
        match marker.action {
            Marker::BEGIN => {
                self.recorder.groups = self.recorder.groups.saturating_add(1);
                if self.recorder.groups <= MOST_GROUPS {
                    self.gpu.label(cmd, true, text, color);
                }
            }
            Marker::END => {
                if (1..=MOST_GROUPS).contains(&self.recorder.groups) {
                    self.gpu.end_label(cmd);
                }
                self.recorder.groups = self.recorder.groups.saturating_sub(1);
            }
            _ => self.gpu.label(cmd, false, text, color),
        }
    }

    /// Ends the groups of markers that the guest has left open.
    pub(crate) fn end_groups(&mut self) {
        let cmd = self.recorder.main();
        for _ in 0..std::mem::take(&mut self.recorder.groups).min(MOST_GROUPS) {
            self.gpu.end_label(cmd);
        }
    }
}
