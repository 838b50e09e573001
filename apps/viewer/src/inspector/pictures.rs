//! Pictures of what a call draws to and of what it reads.

use super::replayer::{Ask, Pixels, Wanted};
use crate::dump::access_line;
use afterimage_inspect::{Access, Capture};
use afterimage_stream::ObjectKind;
use afterimage_stream::packets::View;
use egui::{ColorImage, ScrollArea, TextureHandle, TextureOptions, Ui};
use std::sync::mpsc::Sender;

struct Shown {
    wanted: Wanted,
    pixels: Pixels,
    texture: TextureHandle,
}

/// The pictures behind one call.
#[derive(Default)]
pub(super) struct Pictures {
    /// That call, once any are there.
    pub(super) call: Option<u64>,
    list: Vec<Shown>,
    asked: Option<u64>,
}

impl Pictures {
    /// Asks for those of a call, if that has not been done.
    ///
    /// # Errors
    /// Why there will be none.
    pub(super) fn ask(&mut self, asks: &Sender<Ask>, capture: &Capture, call: u64) -> Result<(), String> {
        if self.asked == Some(call) {
            return Ok(());
        }
        self.asked = Some(call);
        let wanted = |access: Access, written: bool| {
            let view = access.view.unwrap_or(View { texture: access.id, level: 0, layer: 0 });
            let texture = access.id.kind() == Some(ObjectKind::Texture);
            texture.then(|| Wanted { name: access_line(capture, call, &access), view, written })
        };
        let writes = capture.writes(call).into_iter().filter_map(|access| wanted(access, true));
        let reads = capture.reads(call).into_iter().filter_map(|access| wanted(access, false));
        let views = writes.chain(reads).collect();
        asks.send(Ask::Pictures { call, views }).map_err(|_| "no pictures: the thread that replays has ended".into())
    }

    /// These are there now.
    pub(super) fn take(&mut self, ctx: &egui::Context, call: u64, list: Vec<(Wanted, Pixels)>) {
        self.call = Some(call);
        self.list = list
            .into_iter()
            .map(|(wanted, pixels)| {
                let image = ColorImage::from_rgba_unmultiplied(pixels.size, &pixels.rgba);
                let texture = ctx.load_texture(&wanted.name, image, TextureOptions::NEAREST);
                Shown { wanted, pixels, texture }
            })
            .collect();
    }

    /// What a call has drawn, once it is there.
    pub(super) fn after(&self, call: u64) -> Option<&Pixels> {
        let shown = self.list.iter().find(|shown| shown.wanted.written).filter(|_| self.call == Some(call))?;
        Some(&shown.pixels)
    }

    /// Shows what the call has drawn to, or what it reads. Those of the call before stay until new ones are there.
    pub(super) fn show(&self, ui: &mut Ui, call: u64, written: bool) {
        let Some(drawn) = self.call else {
            ui.label("Drawing ...");
            return;
        };
        if drawn != call {
            ui.label("Drawing ...");
        }
        let chosen: Vec<_> = self.list.iter().filter(|shown| shown.wanted.written == written).collect();
        if chosen.is_empty() {
            let none =
                if written { "This call draws to nothing that can be shown." } else { "This call reads no textures." };
            ui.label(none);
        }
        ScrollArea::both().id_salt(written).auto_shrink(false).show(ui, |ui| {
            for Shown { wanted, texture, .. } in chosen {
                ui.label(&wanted.name);
                let size = texture.size_vec2();
                let fit = (ui.available_width() / size.x.max(1.0)).clamp(0.05, 8.0).min(480.0 / size.y.max(1.0));
                ui.image(egui::load::SizedTexture::new(texture.id(), size * fit));
            }
        });
    }
}
