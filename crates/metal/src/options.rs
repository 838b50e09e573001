//! What the user may set about a renderer.

use afterimage_config::Settings;
use afterimage_render::own_process::OwnProcess;
use afterimage_render::wishes::Wishes;
use afterimage_shader::FloatRules;

/// What the user may set about a renderer.
#[derive(Clone, Debug)]
pub struct Options {
    /// How closely shaders follow the guest's rules of floats.
    pub float_rules: FloatRules,
    /// Shaders in IR or SPIR-V may have addresses of their own: of tests alone, whose shaders are no stranger's.
    pub raw_addresses: bool,
    /// Every packet is logged.
    pub trace_packets: bool,
    /// Files that are written, and figures over pictures.
    pub wishes: Wishes,
    /// Where the renderer has its process for itself: who is told when something takes too long.
    pub own_process: Option<OwnProcess>,
    /// Option `apply_all`: see [`Renderer::apply_everything`](crate::Renderer::apply_everything).
    pub apply_all: bool,
}

impl Options {
    /// What a configuration says.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            float_rules: FloatRules::from_name(settings.float_rules.name()).unwrap_or(FloatRules::Strict),
            trace_packets: settings.trace_packets,
            wishes: Wishes::of(settings),
            apply_all: settings.apply_all,
            ..Self::default()
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            float_rules: FloatRules::Strict,
            raw_addresses: false,
            trace_packets: false,
            wishes: Wishes::default(),
            own_process: None,
            apply_all: false,
        }
    }
}
