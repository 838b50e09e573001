//! What the user wants of a renderer besides pictures in windows: files, and figures over pictures.

use afterimage_config::{FrameSet, Settings};
use afterimage_stream::packets::{Corner, Overlay};
use std::path::PathBuf;

/// What the user wants of a renderer besides pictures in windows.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Option `screenshots`: presented pictures are written there.
    pub screenshots: Option<PathBuf>,
    /// Option `screenshot_frames`: only these; every frame where `None`.
    pub screenshot_frames: Option<FrameSet>,
    /// Option `capture_frames`: these frames are captured.
    pub capture_frames: Option<FrameSet>,
    /// Option `capture_file`: where the capture goes.
    pub capture_file: Option<PathBuf>,
    /// Options `hud`, `hud_position` and `hud_scale`: what is drawn over the pictures of guests that do not say.
    pub overlay: Overlay,
    /// Option `hud_log`: a line of figures for each frame is written there.
    pub hud_log: Option<PathBuf>,
    /// Option `stats`: figures are written there at the end, as JSON.
    pub stats: Option<PathBuf>,
}

impl Wishes {
    /// What a configuration says.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self {
            screenshots: settings.screenshots.clone(),
            screenshot_frames: settings.screenshot_frames.clone(),
            capture_frames: settings.capture_frames.clone(),
            capture_file: settings.capture_file.clone(),
            overlay: overlay(settings),
            hud_log: settings.hud_log.clone(),
            stats: settings.stats.clone(),
        }
    }
}

/// What a configuration wants to be drawn over pictures.
#[must_use]
pub fn overlay(settings: &Settings) -> Overlay {
    let corner = Corner::from_name(settings.hud_position.name()).unwrap_or(Corner::TopLeft);
    Overlay::of(settings.hud.iter().map(|item| item.name()), settings.hud_scale, corner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_config::{HudCorner, HudItem, Words};
    use std::path::Path;

    /// Every word of the configuration means one of ours, and the other way round.
    #[test]
    fn the_overlay_is_that_of_the_configuration() {
        let text = "hud = fps, pictures\nhud_position = bottom-right\nhud_scale = 2.5\n";
        let overlay = Wishes::of(&Settings::of_text("x", Path::new("f"), text)).overlay;
        assert_eq!(overlay.items, Overlay::FPS | Overlay::PICTURES);
        assert_eq!((overlay.corner, overlay.scale), (Corner::BottomRight as u8, 2.5));
        assert!(Wishes::of(&Settings::default()).overlay.is_off());
        for (_, name, _) in Overlay::ITEMS {
            assert!(HudItem::from_word(name).is_some(), "{name}");
        }
        assert_eq!(HudItem::ALL.len(), Overlay::ITEMS.len() + 1, "and `full`");
        for corner in Corner::ALL {
            assert!(HudCorner::from_word(corner.name()).is_some(), "{}", corner.name());
        }
    }
}
