//! Figures over pictures: what there is to say.

use crate::device::info::driver;
use crate::renderer::Renderer;
use afterimage_metal_calls::Device;
use afterimage_render::hud::{Counters, Facts, Hud, Memory};
use afterimage_state::Figures;
use afterimage_stream::packets::Overlay;
use afterimage_stream::{Arena, Budget};
use std::time::Duration;

impl<D: Device> Renderer<D> {
    /// Shows figures over the pictures in windows, or none. What a guest wants with [`Overlay`] goes before what this process was told.
    pub fn set_overlay(&mut self, body: &Overlay) {
        self.presenter.pictures.hud = Hud::new(body);
        self.measure_gpu();
    }

    /// Says something on the pictures in windows, for two seconds.
    pub fn notice(&mut self, text: &str) {
        self.presenter.pictures.notices.say(text);
    }

    /// How long the GPU was busy with what this renderer gave it, since somebody is told of it: the overlay's `gpu`, or the log of figures.
    /// `None` where nobody is.
    #[must_use]
    pub fn gpu_busy(&self) -> Option<Duration> {
        self.commands.busy
    }

    /// Has the GPU's time measured where somebody is told of it.
    pub(crate) fn measure_gpu(&mut self) {
        let pictures = &self.presenter.pictures;
        let shown = pictures.hud.as_ref().is_some_and(|hud| hud.overlay.items & Overlay::GPU != 0);
        if shown || pictures.is_logged() {
            self.commands.busy.get_or_insert_default();
        }
    }

    /// A frame is presented: its time, and new text where the old has stood long enough.
    pub(crate) fn hud_frame(&mut self, arena: &dyn Arena) {
        let Some(mut hud) = self.presenter.pictures.hud.take() else { return };
        hud.frame(self.counted(), |items| self.facts(items, arena));
        self.presenter.pictures.hud = Some(hud);
    }

    /// A frame is presented: its line in the log of figures, if there is one.
    pub(crate) fn log_frame(&mut self) {
        if self.presenter.pictures.is_logged() {
            let (counted, bytes) = (self.counted(), self.object_bytes());
            self.presenter.pictures.log_frame(&counted, || bytes);
        }
    }

    /// What was marked and applied so far.
    #[must_use]
    pub fn state_figures(&self) -> Figures {
        Figures { draws: self.draws, ..self.state.tracker.figures() }
    }

    fn counted(&self) -> Counters {
        Counters {
            frames: self.stats.frames,
            draws: self.draws,
            skipped: self.skipped_draws,
            submissions: self.commands.current(),
            guest: self.stats.guest,
            renderer: self.state_figures(),
            calls_saved: 0,
            busy: self.commands.busy,
        }
    }

    fn facts(&self, items: u32, arena: &dyn Arena) -> Facts {
        let facts = self.device.facts();
        Facts {
            guest: self.presenter.pictures.guest,
            device: facts.name.clone(),
            driver: driver(&self.device),
            api: "Metal".to_owned(),
            pipelines: self.pipelines.made(),
            shaders: self.library.variants.len() as u64,
            memory: if items & Overlay::MEMORY != 0 { self.memory_kinds(arena) } else { Vec::new() },
            ..Facts::default()
        }
    }

    /// Bytes of the guest's textures and buffers.
    fn object_bytes(&self) -> u64 {
        let objects = &self.state.objects;
        objects.spent(Budget::TextureMemory).saturating_add(objects.spent(Budget::BufferMemory))
    }

    /// Memory by kind: Metal tells nothing of other processes.
    fn memory_kinds(&self, arena: &dyn Arena) -> Vec<Memory> {
        let of = Some(self.device.facts().working_set).filter(|bytes| *bytes > 0);
        let uploads = (0..).map_while(|slot| arena.slot_size(slot)).sum();
        vec![
            Memory { name: "objects", used: self.object_bytes(), of },
            Memory { name: "uploads", used: uploads, of: None },
        ]
    }
}
