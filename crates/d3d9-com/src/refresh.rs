//! When a display draws its next picture: `GetRasterStatus`, `WaitForVBlank`, present statistics.
//!
//! No system of today tells where the beam is. What programs want to know is how far the present refresh is, and that it
//! goes on evenly, which a clock at the display's rate answers as well.

use core::time::Duration;

use afterimage_d3d9_types::{D3DDISPLAYMODE, D3DRASTER_STATUS};

use crate::platform;

/// A display's rhythm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refresh {
    /// One picture with its pause.
    period: Duration,
    /// Lines of the picture.
    visible: u32,
    /// Lines of the picture and of the pause after it.
    total: u32,
}

/// Ticks of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// Since some fixed time.
    pub(crate) now: i64,
    /// A second's.
    pub(crate) frequency: i64,
}

impl Ticks {
    fn since_start(self) -> Duration {
        let (now, frequency) = (self.now.max(0) as u128, self.frequency.max(1) as u128);
        Duration::from_nanos((now * 1_000_000_000 / frequency).try_into().unwrap_or(u64::MAX))
    }
}

impl Refresh {
    /// Of a display with this mode.
    pub(crate) fn of(mode: &D3DDISPLAYMODE) -> Self {
        let rate = mode.RefreshRate.clamp(1, 1000);
        // A pause of a twenty-fourth of the picture is that of the usual timings: 1125 lines for 1080.
        let visible = mode.Height.clamp(1, 1 << 16);
        Self { period: Duration::from_secs(1) / rate, visible, total: visible + (visible / 24).max(1) }
    }

    /// The line that is drawn.
    fn line(&self, at: Duration) -> u32 {
        let (into, period) = (at.as_nanos() % self.period.as_nanos(), self.period.as_nanos());
        (into * u128::from(self.total) / period) as u32
    }

    /// What is drawn now.
    pub(crate) fn status(&self, ticks: Ticks) -> D3DRASTER_STATUS {
        let line = self.line(ticks.since_start());
        let pause = line >= self.visible;
        D3DRASTER_STATUS { InVBlank: pause.into(), ScanLine: if pause { 0 } else { line } }
    }

    /// How long it is until the next pause begins; at once during one.
    fn until_pause(&self, ticks: Ticks) -> Duration {
        let at = ticks.since_start();
        if self.line(at) >= self.visible {
            return Duration::ZERO;
        }
        let picture = self.period * self.visible / self.total;
        let into = Duration::from_nanos((at.as_nanos() % self.period.as_nanos()) as u64);
        picture.saturating_sub(into)
    }

    /// Waits for the next pause.
    pub(crate) fn wait(&self) {
        std::thread::sleep(self.until_pause(platform::ticks()));
    }

    /// How many pictures there have been.
    pub(crate) fn count(&self, ticks: Ticks) -> u32 {
        (ticks.since_start().as_nanos() / self.period.as_nanos()) as u32
    }

    /// When the last pause ended, in ticks.
    pub(crate) fn last(&self, ticks: Ticks) -> i64 {
        let into = ticks.since_start().as_nanos() % self.period.as_nanos();
        ticks.now - (into * ticks.frequency.max(1) as u128 / 1_000_000_000) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: i64) -> Ticks {
        Ticks { now: nanoseconds, frequency: 1_000_000_000 }
    }

    #[test]
    fn lines_go_from_top_to_bottom_and_then_there_is_a_pause() {
        let refresh = Refresh::of(&D3DDISPLAYMODE { Width: 1920, Height: 1080, RefreshRate: 50, Format: 0 });
        let period = 20_000_000;
        let status = |time| {
            let status = refresh.status(at(time));
            (status.InVBlank != 0, status.ScanLine)
        };
        assert_eq!(status(0), (false, 0));
        assert_eq!(status(period / 2), (false, 562));
        assert_eq!(status(period - 1), (true, 0));
        assert_eq!(status(7 * period), (false, 0));
        assert_eq!(refresh.until_pause(at(0)), Duration::from_nanos(19_200_000));
        assert_eq!(refresh.until_pause(at(period - 1)), Duration::ZERO);
        assert_eq!((refresh.count(at(3 * period + 5)), refresh.last(at(3 * period + 5))), (3, 3 * period));
    }

    #[test]
    fn modes_that_cannot_be_divide_nothing_by_zero() {
        for mode in [D3DDISPLAYMODE::default(), D3DDISPLAYMODE { Width: !0, Height: !0, RefreshRate: !0, Format: 0 }] {
            let refresh = Refresh::of(&mode);
            for now in [i64::MIN, 0, i64::MAX] {
                for frequency in [i64::MIN, 0, 1, i64::MAX] {
                    let ticks = Ticks { now, frequency };
                    refresh.status(ticks);
                    refresh.until_pause(ticks);
                }
            }
        }
    }
}
