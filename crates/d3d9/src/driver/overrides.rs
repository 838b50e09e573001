//! What the user overrides of the program: the part of the configuration that a device goes by.

use super::Device;
use crate::error::{Error, Result};
use crate::machine::{DeviceState, Filtering};
use afterimage_config::{PresentInterval, Values};
use afterimage_d3d9_types::*;
use std::time::{Duration, Instant};

/// What the user overrides; without any, a device does what the program says.
#[derive(Debug)]
pub(crate) struct Overrides {
    /// Instead of the program's interval: refreshes of the display, 0 for none.
    pub(super) interval: Option<u32>,
    /// The shortest time from one present to the next.
    frame_time: Duration,
    /// When the next picture may be shown.
    next_frame: Option<Instant>,
    /// Bytes of video memory to speak of.
    pub(super) memory: Option<u64>,
    /// Whether resources of the default pool keep a device from being reset.
    pub(super) strict_reset: bool,
    /// Every how many frames textures are sent anew; 0 for never.
    refresh_frames: u32,
    /// Frames since that was done.
    since_refresh: u32,
    /// Whether draws that read a stream without a buffer are refused.
    pub(super) guard_draws: bool,
    /// The highest shader model.
    shader_model: u32,
    /// Old formats that are to be there.
    pub(super) old_formats: Vec<D3DFORMAT>,
}

impl Default for Overrides {
    fn default() -> Self {
        Self {
            interval: None,
            frame_time: Duration::ZERO,
            next_frame: None,
            memory: None,
            strict_reset: true,
            refresh_frames: 0,
            since_refresh: 0,
            guard_draws: false,
            shader_model: 3,
            old_formats: Vec::new(),
        }
    }
}

impl Overrides {
    fn of(values: &Values) -> Self {
        let interval = match values.present_interval {
            PresentInterval::Program => None,
            PresentInterval::Immediate => Some(0),
            PresentInterval::One => Some(1),
            PresentInterval::Two => Some(2),
            PresentInterval::Three => Some(3),
            PresentInterval::Four => Some(4),
        };
        let limited = values.fps_limit > 0.0;
        Self {
            interval,
            // At most an hour, however small the limit is.
            frame_time: if limited {
                Duration::from_secs_f32((1.0 / values.fps_limit).min(3600.0))
            } else {
                Duration::ZERO
            },
            memory: values.vram_mb.map(|megabytes| u64::from(megabytes) << 20),
            strict_reset: values.strict_reset,
            refresh_frames: values.texture_refresh_frames,
            guard_draws: values.guard_draws,
            shader_model: values.shader_model as u32 + 1,
            old_formats: crate::format::wanted(values),
            ..Self::default()
        }
    }

    /// How long to wait at `now` until the next picture may be shown, and notes that it is.
    fn pause(&mut self, now: Instant) -> Duration {
        // A frame that took longer has no credit for the ones after it.
        let shown = self.next_frame.map_or(now, |next| next.max(now));
        self.next_frame = Some(shown + self.frame_time);
        shown - now
    }

    /// # Errors
    /// [`Error::InvalidCall`] for a shader of a model that the device does not speak of.
    pub(super) fn check_shader(&self, tokens: &[u32]) -> Result<()> {
        let model = tokens.first().map_or(0, |version| version >> 8 & 0xff);
        if model <= self.shader_model {
            return Ok(());
        }
        tracing::warn!("a shader of model {model} is refused: option shader_model = {}", self.shader_model);
        Err(Error::InvalidCall)
    }
}

impl Device {
    /// Goes by the user's configuration from now on.
    pub fn set_wishes(&mut self, values: &Values) {
        self.overrides = Overrides::of(values);
        let filtering = Filtering { anisotropy: values.force_anisotropy, lod_bias: values.lod_bias };
        let registers = &mut self.registers;
        if registers.filtering.set(filtering, &mut registers.tracker) {
            registers.tracker.mark_instances(DeviceState::SAMPLER, u64::MAX);
        }
    }

    /// A picture has been handed over: what the user wants to happen between frames.
    pub(super) fn between_frames(&mut self) {
        if !self.overrides.frame_time.is_zero() {
            let pause = self.overrides.pause(Instant::now());
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
        }
        if self.overrides.refresh_frames != 0 {
            self.overrides.since_refresh += 1;
            if self.overrides.since_refresh >= self.overrides.refresh_frames {
                self.overrides.since_refresh = 0;
                self.evict_managed();
            }
        }
    }

    /// Whether the bound declaration reads a stream that has no buffer, where the user wants such draws refused.
    pub(crate) fn lacks_stream(&mut self) -> bool {
        if !self.overrides.guard_draws {
            return false;
        }
        let declaration = self.registers.declaration.and_then(|id| self.objects.declarations.get(id));
        let streams = self.registers.streams.all();
        let memory = self.from_memory;
        let empty = |element: &D3DVERTEXELEMENT9| {
            let stream = usize::from(element.Stream);
            streams.get(stream).is_some_and(|stream| stream.buffer.is_none()) && !(memory && stream == 0)
        };
        let lacks = declaration.is_some_and(|declaration| declaration.used().iter().any(empty));
        if lacks && self.logged.insert("guard_draws") {
            tracing::warn!("a draw is refused, and others like it: it reads a stream that has no buffer (guard_draws)");
        }
        lacks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_keep_their_distance_and_have_no_credit() {
        let mut overrides = Overrides { frame_time: Duration::from_millis(10), ..Overrides::default() };
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        assert_eq!(overrides.pause(at(0)), Duration::ZERO);
        assert_eq!(overrides.pause(at(4)), Duration::from_millis(6));
        // Shown at 10; this one comes late, at 35.
        assert_eq!(overrides.pause(at(35)), Duration::ZERO);
        assert_eq!(overrides.pause(at(36)), Duration::from_millis(9));
    }

    #[test]
    fn shaders_of_a_higher_model_are_refused() {
        let overrides = Overrides { shader_model: 2, ..Overrides::default() };
        assert_eq!(overrides.check_shader(&[0xfffe_0300]), Err(Error::InvalidCall));
        assert_eq!(overrides.check_shader(&[0xffff_02ff]), Ok(()));
        assert_eq!(Overrides::default().check_shader(&[0xfffe_0300]), Ok(()));
    }
}
