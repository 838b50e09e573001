//! What the user may set about a renderer: the part of the configuration that it reads.

pub use afterimage_config::FrameSet;
use afterimage_config::{Ability, Settings, Switch, settings};
use afterimage_render::own_process::OwnProcess;
use afterimage_render::wishes::Wishes;
use afterimage_shader::FloatRules;
use afterimage_shader::feedback::Form;
use std::ffi::CStr;
use std::path::PathBuf;

/// Optional abilities that can be switched off, to test the paths without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// Do not use descriptor indexing: textures through cached descriptor sets of slots.
    pub bindless: bool,
    /// Do not use VK_EXT_extended_dynamic_state3: blending is part of the pipeline.
    pub dynamic_state3: bool,
    /// Do not use VK_EXT_multi_draw.
    pub multi_draw: bool,
    /// Do not read uploads in place, even where they lie in device memory.
    pub device_slots: bool,
    /// Do not tell drivers to keep infinities, NaN and signs of zeros.
    pub float_controls: bool,
    /// Do without logical operations, wide lines, modes of lines and the choice of the provoking vertex.
    pub raster_options: bool,
    /// Do without doubles, 64-bit atomics, stores of vertex and pixel shaders, layers that vertex shaders choose, arrays of cubes, storage
    /// images of several samples, geometry shaders of guests.
    pub shader_features: bool,
    /// Do not use VK_EXT_transform_feedback: shaders store what they capture themselves.
    pub transform_feedback: bool,
    /// Do not use nullDescriptor of VK_EXT_robustness2: an image of one texel in the place of a storage image that is not bound.
    pub null_descriptor: bool,
    /// Do not use what MoltenVK lacks.
    pub beyond_moltenvk: bool,
    /// Do not use what KosmicKrisp lacks.
    pub beyond_kosmickrisp: bool,
    /// Act as if the driver had Vulkan 1.2 only: no device can be used.
    pub vulkan_1_3: bool,
}

impl Without {
    /// Without these.
    fn of(abilities: &[Ability]) -> Self {
        let has = |ability| abilities.contains(&ability);
        Self {
            bindless: has(Ability::Bindless),
            dynamic_state3: has(Ability::DynamicState3),
            multi_draw: has(Ability::MultiDraw),
            device_slots: has(Ability::DeviceSlots),
            float_controls: has(Ability::FloatControls),
            raster_options: has(Ability::RasterOptions),
            shader_features: has(Ability::ShaderFeatures),
            transform_feedback: has(Ability::TransformFeedback),
            null_descriptor: has(Ability::NullDescriptor),
            beyond_moltenvk: has(Ability::BeyondMoltenVk),
            beyond_kosmickrisp: has(Ability::BeyondKosmicKrisp),
            vulkan_1_3: has(Ability::Vulkan13),
        }
    }
}

/// What the user may set about a renderer.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Option `device`: part of the device's name (any case), or its number in `afterimage info`.
    pub device: Option<String>,
    /// Option `validate = on`: use the validation layer.
    pub validate: bool,
    /// Use the validation layer if it is there: in debug builds, unless `validate = off`.
    pub validate_if_there: bool,
    /// Names of other layers that are switched on, each below the one before it.
    pub layers: Vec<&'static CStr>,
    /// Option `without`: abilities not to use.
    pub without: Without,
    /// Option `cache_dir`, else `$XDG_CACHE_HOME/afterimage`: where caches live; `None` turns disk caches off.
    pub cache_dir: Option<PathBuf>,
    /// Option `cache_mb`: size of the caches together in MiB, 1024 if nothing is said; what was unused for longest
    /// goes first. In bytes here; 0 keeps everything.
    pub cache_bytes: u64,
    /// Keep what a program draws with beside the caches, for its next run.
    pub remember: bool,
    /// Pipelines that are kept although nothing draws with them any more; `None`: as many as suit the device.
    pub idle_pipelines: Option<usize>,
    /// Option `async`: draws whose pipeline is not made yet are skipped instead of waited for. Things appear late,
    /// and what is drawn only once may be missing for good.
    pub skip_unready: bool,
    /// Option `record_thread`: whether a thread plays calls of draws; where it pays if `None`.
    pub record_thread: Option<bool>,
    /// Option `merge_draws`: whether draws that differ in constants and textures are recorded in one call, where a device can; with drivers
    /// that are known to do well by it if `None`.
    pub merge_draws: Option<bool>,
    /// Option `pipeline_libraries`: whether pipelines are linked of stages that were made apart, where a driver can; on GPUs whose
    /// driver links quickly if `None`.
    pub pipeline_libraries: Option<bool>,
    /// Option `float_rules`: how closely shaders follow Direct3D 9's float rules. `auto`, or
    /// `None` here, is the closest that costs little with the device's driver.
    pub float_rules: Option<FloatRules>,
    /// Files that are written, and figures over pictures.
    pub wishes: Wishes,
    /// Take shaders in IR and SPIR-V that access memory by addresses of their own. Such a shader can read and write everything that
    /// the device can, so this is for tests alone.
    pub raw_addresses: bool,
    /// How draws are captured on devices without transform feedback. Those that do not let vertex shaders store gather, and so do draws
    /// whose numbers are in buffers.
    pub feedback_form: Form,
    /// Option `trace_packets`: every packet is logged.
    pub trace_packets: bool,
    /// Option `apply_all`: see [`Renderer::apply_everything`](crate::Renderer::apply_everything).
    pub apply_all: bool,
    /// Where the renderer has its process for itself: who is told when something takes too long.
    pub own_process: Option<OwnProcess>,
}

impl Options {
    /// What this process is configured to do (see `afterimage_config`).
    #[must_use]
    pub fn from_env() -> Self {
        Self::of(settings())
    }

    /// What a configuration says.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let cache_dir = settings
            .cache_dir
            .clone()
            .or_else(|| path("XDG_CACHE_HOME").map(|dir| dir.join("afterimage")))
            .or_else(|| path("HOME").map(|dir| dir.join(".cache").join("afterimage")))
            .or_else(|| path("LOCALAPPDATA").map(|dir| dir.join("afterimage")));
        Self {
            device: settings.device.clone(),
            validate: settings.validate == Switch::On,
            validate_if_there: cfg!(debug_assertions) && settings.validate == Switch::Auto,
            layers: Vec::new(),
            without: Without::of(&settings.without),
            cache_dir,
            cache_bytes: u64::from(settings.cache_mb) << 20,
            remember: true,
            idle_pipelines: None,
            skip_unready: settings.async_pipelines,
            record_thread: settings.record_thread.forced(),
            merge_draws: settings.merge_draws.forced(),
            pipeline_libraries: settings.pipeline_libraries.forced(),
            float_rules: FloatRules::from_name(settings.float_rules.name()),
            wishes: Wishes::of(settings),
            raw_addresses: false,
            feedback_form: Form::default(),
            trace_packets: settings.trace_packets,
            apply_all: settings.apply_all,
            own_process: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_config::Words;
    use std::path::Path;

    #[test]
    fn options_are_those_of_the_configuration() {
        let text = "without = bindless\nvalidate = off\nfloat_rules = strict\ncache_mb = 2\ncapture_frames = 3,7-9\n";
        let options = Options::of(&Settings::of_text("x", Path::new("f"), text));
        assert_eq!(options.without, Without { bindless: true, ..Without::default() });
        assert!(!options.validate && !options.validate_if_there);
        assert_eq!(options.float_rules, Some(FloatRules::Strict));
        assert_eq!((options.cache_bytes, options.wishes.capture_frames), (2 << 20, FrameSet::parse("3,7-9")));
        assert_eq!(Options::of(&Settings::default()).float_rules, None, "auto is left to the device");
    }

    /// Every word of the configuration means one of ours.
    #[test]
    fn float_rules_have_the_same_names() {
        for rules in FloatRules::ALL {
            assert!(<afterimage_config::FloatRules as Words>::from_word(rules.name()).is_some());
        }
    }
}
