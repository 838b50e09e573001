//! What the user may set. Every receiver reads the same environment variables, through [`Options::from_env`].

use afterimage_shader::FloatRules;
use std::ops::RangeInclusive;
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
}

impl Without {
    const NAMES: &'static str = "bindless, dynamic_state3, multi_draw, device_slots, float_controls, raster_options";

    fn parse(text: &str) -> Self {
        let mut without = Self::default();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "bindless" => without.bindless = true,
                "dynamic_state3" => without.dynamic_state3 = true,
                "multi_draw" => without.multi_draw = true,
                "device_slots" => without.device_slots = true,
                "float_controls" => without.float_controls = true,
                "raster_options" => without.raster_options = true,
                _ => tracing::warn!("AFTERIMAGE_WITHOUT: {name} is not one of {}", Self::NAMES),
            }
        }
        without
    }
}

/// Which frames something happens in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSet(Vec<RangeInclusive<u64>>);

impl FrameSet {
    /// Every frame.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![0..=u64::MAX])
    }

    /// Parses `a,b,c-d`. `None` if any part is not a number or a rising range.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let part = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        text.split(',').map(part).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether a frame is in the set.
    #[must_use]
    pub fn contains(&self, frame: u64) -> bool {
        self.0.iter().any(|range| range.contains(&frame))
    }

    /// The smallest range that holds the whole set.
    #[must_use]
    pub fn span(&self) -> RangeInclusive<u64> {
        let first = self.0.iter().map(|range| *range.start()).min().unwrap_or(0);
        let last = self.0.iter().map(|range| *range.end()).max().unwrap_or(0);
        first..=last
    }
}

/// What the user may set about a renderer.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `AFTERIMAGE_DEVICE`: part of the device's name (any case), or its number in `afterimage info`.
    pub device: Option<String>,
    /// `AFTERIMAGE_VALIDATE=1`: use the validation layer.
    pub validate: bool,
    /// Use the validation layer if it is there: in debug builds, unless `AFTERIMAGE_VALIDATE=0`.
    pub validate_if_there: bool,
    /// `AFTERIMAGE_WITHOUT=a,b`: abilities not to use.
    pub without: Without,
    /// `AFTERIMAGE_CACHE_DIR`, else `$XDG_CACHE_HOME/afterimage`: where caches live; `None` turns disk caches off.
    pub cache_dir: Option<PathBuf>,
    /// `AFTERIMAGE_CACHE_MB`: size of the caches together in MiB, 1024 if nothing is said; what was unused for longest
    /// goes first. In bytes here; 0 keeps everything.
    pub cache_bytes: u64,
    /// `AFTERIMAGE_ASYNC=1`: draws whose pipeline is not made yet are skipped instead of waited for. Things appear late,
    /// and what is drawn only once may be missing for good.
    pub skip_unready: bool,
    /// `AFTERIMAGE_FLOAT_RULES=auto|strict|balanced|relaxed`: how closely shaders follow Direct3D 9's float rules. `auto`, or
    /// `None` here, is the closest that costs little with the device's driver.
    pub float_rules: Option<FloatRules>,
    /// `AFTERIMAGE_SCREENSHOTS=DIR`: presented pictures are written there.
    pub screenshots: Option<PathBuf>,
    /// `AFTERIMAGE_SCREENSHOT_FRAMES=a,b,c-d`: only these; every frame where `None`.
    pub screenshot_frames: Option<FrameSet>,
    /// `AFTERIMAGE_CAPTURE_FRAMES=a-b`: these frames are captured.
    pub capture_frames: Option<RangeInclusive<u64>>,
    /// `AFTERIMAGE_CAPTURE_FILE`: where the capture goes.
    pub capture_file: Option<PathBuf>,
    /// `AFTERIMAGE_STATS=FILE`: figures are written there at the end, as JSON.
    pub stats: Option<PathBuf>,
}

impl Options {
    /// Reads the environment. A value that cannot be understood is named in a warning and left out.
    #[must_use]
    pub fn from_env() -> Self {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let frames = |name: &str| {
            let value = text(name)?;
            let set = FrameSet::parse(&value);
            if set.is_none() {
                tracing::warn!("{name}={value}: expected frame numbers such as 3,5,10-20; the setting is ignored");
            }
            set
        };
        let megabytes = |name: &str| {
            let value = text(name)?;
            let number = value.parse::<u32>().ok().map(u64::from);
            if number.is_none() {
                tracing::warn!("{name}={value}: expected a number of MiB; the setting is ignored");
            }
            number
        };
        let float_rules = |name: &str| {
            let value = text(name).filter(|value| value != "auto")?;
            let rules = FloatRules::from_name(&value);
            if rules.is_none() {
                let names = FloatRules::ALL.map(FloatRules::name).join(", ");
                tracing::warn!("{name}={value}: expected auto, {names}; the setting is ignored");
            }
            rules
        };
        let cache_dir = path("AFTERIMAGE_CACHE_DIR")
            .or_else(|| path("XDG_CACHE_HOME").map(|dir| dir.join("afterimage")))
            .or_else(|| path("HOME").map(|dir| dir.join(".cache").join("afterimage")))
            .or_else(|| path("LOCALAPPDATA").map(|dir| dir.join("afterimage")));
        let validate = text("AFTERIMAGE_VALIDATE");
        Self {
            device: text("AFTERIMAGE_DEVICE"),
            validate: validate.as_deref().is_some_and(|value| value != "0"),
            validate_if_there: cfg!(debug_assertions) && validate.is_none(),
            without: text("AFTERIMAGE_WITHOUT").map(|names| Without::parse(&names)).unwrap_or_default(),
            cache_dir,
            cache_bytes: megabytes("AFTERIMAGE_CACHE_MB").unwrap_or(1024) << 20,
            skip_unready: text("AFTERIMAGE_ASYNC").is_some_and(|value| value != "0"),
            float_rules: float_rules("AFTERIMAGE_FLOAT_RULES"),
            screenshots: path("AFTERIMAGE_SCREENSHOTS"),
            screenshot_frames: frames("AFTERIMAGE_SCREENSHOT_FRAMES"),
            capture_frames: frames("AFTERIMAGE_CAPTURE_FRAMES").map(|set| set.span()),
            capture_file: path("AFTERIMAGE_CAPTURE_FILE"),
            stats: path("AFTERIMAGE_STATS"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_sets() {
        let set = FrameSet::parse("1, 3,5-7").unwrap();
        let inside: Vec<u64> = (0..10).filter(|&frame| set.contains(frame)).collect();
        assert_eq!(inside, [1, 3, 5, 6, 7]);
        assert_eq!(set.span(), 1..=7);
        for bad in ["", "a", "3-1", "1,,2", "-"] {
            assert_eq!(FrameSet::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn abilities_by_name() {
        assert_eq!(Without::parse("bindless, nonsense"), Without { bindless: true, ..Without::default() });
    }
}
