//! What the watchdog is told of draws and dispatches.

use crate::pipeline::key::Key;
use crate::renderer::Renderer;
use afterimage_ipc::Suspect;
use afterimage_state::trace;
use afterimage_stream::packets::Stage;
use afterimage_stream::{Group, Host};

impl Renderer {
    /// The shaders that draws have from now on are noted, in processes that are watched.
    #[inline]
    pub(crate) fn note_shaders(&mut self) {
        if self.recorder.submissions.watch.is_some() {
            trace::read_result::<Host>(Group::Variants);
            let Key { vertex, pixel, geometry, .. } = self.bound.key;
            for (stage, number) in [(Stage::Vertex, vertex), (Stage::Pixel, pixel), (Stage::Geometry, geometry)] {
                self.note_shader(stage, number);
            }
        }
    }

    /// A shader by the number of its variant, which may be none.
    pub(crate) fn note_shader(&mut self, stage: Stage, number: u32) {
        let Some(watch) = &mut self.recorder.submissions.watch else { return };
        let Some((slot, variant)) = self.programs.library.slot(number).and_then(|slot| Some((slot, slot.made()?)))
        else {
            return;
        };
        let loops = variant.loops;
        watch.note(loops, || {
            let (id, hash) = slot.name().filter(|(id, _)| !id.is_none())?;
            Some(Suspect { id, stage, hash, loops: loops.count, depth: loops.depth })
        });
    }
}
