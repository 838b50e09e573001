//! A device that has the screen for itself: its display mode, its windows, and what it hears of them.
//!
//! A full-screen device puts a procedure before that of its focus window. When another program becomes the active one, the
//! display mode goes back to the user's, the device's window is minimised, and the device is lost; when the program is
//! active again, it may be reset. An extended device is never lost: it is occluded for that time, and then simply goes on.
//!
//! Windows are told what happens to them by messages, on their own threads, and what a program does with a message may be
//! any call. So nothing here holds a lock while it calls the platform.

use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afterimage_d3d9 as guest;
use afterimage_d3d9_types::*;

use crate::platform::{self, Area, Awake, Before, Hook, Listener, Mode, Output};

/// Whether a device can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// It can.
    Good,
    /// Another program is the active one.
    Lost,
    /// It has to be reset first. Plain devices only.
    NotReset,
}

/// What the screen is for a full-screen device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Screen {
    /// The window that pictures are shown in.
    pub(crate) window: HWND,
    /// The display mode.
    pub(crate) mode: Mode,
    /// Bits of a pixel, as the program has them: systems of today show 32 in any case.
    pub(crate) depth: u32,
}

impl Screen {
    /// The screen that presentation parameters ask for; `None` for a window.
    ///
    /// # Errors
    /// [`guest::Error::InvalidCall`] for a size or rate that no mode of the output has.
    pub(crate) fn wanted(
        output: &Output,
        parameters: &D3DPRESENT_PARAMETERS,
        focus: HWND,
        mode: Option<&D3DDISPLAYMODEEX>,
    ) -> guest::Result<Option<Self>> {
        if parameters.Windowed != FALSE {
            return Ok(None);
        }
        let (width, height) = (parameters.BackBufferWidth, parameters.BackBufferHeight);
        if mode.is_some_and(|mode| !describes(mode, width, height)) {
            return Err(guest::Error::InvalidCall);
        }
        let depth = depth_of(parameters.BackBufferFormat);
        let rate = mode.map_or(parameters.FullScreen_RefreshRateInHz, |mode| mode.RefreshRate);
        let modes = output.modes(depth);
        let fits = |mode: &Mode| (mode.width, mode.height) == (width, height) && (rate == 0 || mode.refresh == rate);
        if !modes.iter().any(fits) {
            let mut sizes: Vec<_> = modes.iter().map(|mode| format!("{}x{}", mode.width, mode.height)).collect();
            sizes.dedup();
            tracing::warn!(
                "no display mode of {} is {width}x{height} at {rate} Hz (0: any); there are {}",
                output.name(),
                sizes.join(", "),
            );
            return Err(guest::Error::InvalidCall);
        }
        let window = if parameters.hDeviceWindow != 0 { parameters.hDeviceWindow } else { focus };
        Ok(Some(Self { window, mode: Mode { width, height, refresh: rate }, depth }))
    }

    /// The display mode as the device has it, where the display has `now`.
    pub(crate) fn shown(&self, now: D3DDISPLAYMODE) -> D3DDISPLAYMODE {
        let format = if self.depth == 16 { D3DFMT_R5G6B5 } else { now.Format };
        // Where there is no mode but a window that SDL scales, the mode is the device's own.
        let (width, height) = if cfg!(windows) { (now.Width, now.Height) } else { (self.mode.width, self.mode.height) };
        D3DDISPLAYMODE { Width: width, Height: height, Format: format, ..now }
    }
}

/// Whether a mode of the extended interface is one, and of this size.
fn describes(mode: &D3DDISPLAYMODEEX, width: u32, height: u32) -> bool {
    mode.Size as usize == size_of::<D3DDISPLAYMODEEX>()
        && (mode.Width, mode.Height) == (width, height)
        && mode.ScanLineOrdering <= D3DSCANLINEORDERING_INTERLACED
}

/// Bits of a pixel of a display format.
pub(crate) fn depth_of(format: D3DFORMAT) -> u32 {
    if matches!(format, D3DFMT_R5G6B5 | D3DFMT_X1R5G5B5 | D3DFMT_A1R5G5B5) { 16 } else { 32 }
}

/// What the window procedure has in common with the device.
struct Shared {
    output: Output,
    extended: bool,
    /// Unless the program looks after its windows itself (`D3DCREATE_NOWINDOWCHANGES`).
    changes_windows: bool,
    condition: AtomicU8,
    /// The display has another mode than the device has set.
    mode_changed: AtomicBool,
    /// The focus window's own procedure gets no messages now.
    filtering: AtomicBool,
    screen: Mutex<Option<Screen>>,
}

impl Shared {
    fn screen(&self) -> MutexGuard<'_, Option<Screen>> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_condition(&self, condition: Condition) {
        self.condition.store(condition as u8, Ordering::Release);
    }

    fn condition(&self) -> Condition {
        match self.condition.load(Ordering::Acquire) {
            c if c == Condition::Lost as u8 => Condition::Lost,
            c if c == Condition::NotReset as u8 => Condition::NotReset,
            _ => Condition::Good,
        }
    }

    /// Does something to windows and modes of which the program shall not hear.
    fn quietly<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.filtering.swap(true, Ordering::AcqRel);
        let result = act();
        self.filtering.store(before, Ordering::Release);
        result
    }

    /// Where the output is on the desktop now.
    fn area(&self, mode: Mode) -> Area {
        let size = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
        self.output.area().unwrap_or(Area { x: 0, y: 0, width: size(mode.width), height: size(mode.height) })
    }
}

impl Listener for Shared {
    fn filters(&self) -> bool {
        self.filtering.load(Ordering::Acquire)
    }

    fn activated(&self, active: bool) {
        let Some(screen) = *self.screen() else { return };
        if active {
            self.quietly(|| {
                if self.extended {
                    self.output.change(screen.mode);
                }
                if self.changes_windows {
                    platform::refit(screen.window, self.area(screen.mode));
                }
            });
            // An extended device has set its mode again.
            self.mode_changed.store(false, Ordering::Release);
            if self.condition() == Condition::Lost {
                self.set_condition(if self.extended { Condition::Good } else { Condition::NotReset });
            }
        } else {
            self.quietly(|| {
                Output::restore_all();
                if self.changes_windows {
                    platform::minimize(screen.window);
                }
            });
            self.set_condition(Condition::Lost);
        }
    }

    fn display_changed(&self) {
        let Some(screen) = *self.screen() else { return };
        // What happens quietly is our own doing.
        if self.filters() || self.condition() != Condition::Good {
            return;
        }
        let now = self.output.current().mode;
        if (now.width, now.height) == (screen.mode.width, screen.mode.height) {
            return;
        }
        if self.extended {
            self.mode_changed.store(true, Ordering::Release);
        } else {
            self.set_condition(Condition::NotReset);
        }
    }
}

/// What a full-screen device has taken, and gives back.
struct Taken {
    _hook: Option<Hook>,
    _awake: Option<Awake>,
    /// The window that has become a full-screen one.
    window: Option<(HWND, Before)>,
}

/// A device's hold of the screen, if it has one.
pub(crate) struct FullScreen {
    shared: Arc<Shared>,
    taken: Mutex<Option<Taken>>,
}

impl FullScreen {
    /// For a new device, which has a window until [`FullScreen::set`].
    pub(crate) fn new(output: Output, behavior: u32, extended: bool) -> Self {
        let shared = Shared {
            output,
            extended,
            changes_windows: behavior & D3DCREATE_NOWINDOWCHANGES == 0,
            condition: AtomicU8::new(Condition::Good as u8),
            mode_changed: AtomicBool::new(false),
            filtering: AtomicBool::new(false),
            screen: Mutex::new(None),
        };
        Self { shared: Arc::new(shared), taken: Mutex::new(None) }
    }

    /// The output that the device was made for.
    pub(crate) fn output(&self) -> &Output {
        &self.shared.output
    }

    /// The screen, if the device has it.
    pub(crate) fn screen(&self) -> Option<Screen> {
        *self.shared.screen()
    }

    /// Whether the device can be used.
    pub(crate) fn condition(&self) -> Condition {
        self.shared.condition()
    }

    /// Whether the mode is another than the one that was set. Extended devices only.
    pub(crate) fn mode_changed(&self) -> bool {
        self.shared.mode_changed.load(Ordering::Acquire)
    }

    /// The device was reset, or could not be.
    pub(crate) fn was_reset(&self, done: bool) {
        if done {
            self.shared.mode_changed.store(false, Ordering::Release);
            self.shared.set_condition(Condition::Good);
        } else if !self.shared.extended {
            self.shared.set_condition(Condition::NotReset);
        }
    }

    /// Takes the screen, another one, or gives it back: `wanted` is what the device has from now on.
    ///
    /// # Errors
    /// [`guest::Error::NotAvailable`] where the system refuses the mode; the device then has a window.
    pub(crate) fn set(&self, wanted: Option<Screen>, focus: HWND) -> guest::Result<()> {
        let before = self.screen();
        match (before, wanted) {
            (None, None) => Ok(()),
            (Some(_), None) => {
                self.leave();
                Ok(())
            }
            (None, Some(screen)) => self.enter(screen, focus),
            (Some(before), Some(screen)) => self.change(before, screen),
        }
    }

    fn taken(&self) -> MutexGuard<'_, Option<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, screen: Screen, focus: HWND) -> guest::Result<()> {
        let focus = if focus != 0 { focus } else { screen.window };
        let hook = Hook::new(focus, self.shared.clone());
        let awake = platform::activate(focus);
        let window = self.shared.quietly(|| {
            self.shared.output.change(screen.mode).then(|| {
                let area = self.shared.area(screen.mode);
                self.changes(screen)
                    .then(|| (screen.window, platform::make_full_screen(screen.window, area, screen.mode)))
            })
        });
        let Some(window) = window else { return Err(guest::Error::NotAvailable) };
        *self.taken() = Some(Taken { _hook: hook, _awake: Some(awake), window });
        *self.shared.screen() = Some(screen);
        Ok(())
    }

    fn change(&self, before: Screen, screen: Screen) -> guest::Result<()> {
        // Nothing of the old mode counts while there is a new one.
        *self.shared.screen() = None;
        let old = self.taken().as_mut().and_then(|taken| taken.window.take());
        let window = self.shared.quietly(|| {
            let changed = self.shared.output.change(screen.mode);
            changed.then(|| {
                let area = self.shared.area(screen.mode);
                match old {
                    Some((window, kept)) if screen.window == before.window => {
                        platform::resize_full_screen(window, area, screen.mode);
                        Some((window, kept))
                    }
                    old => {
                        if let Some((window, kept)) = old {
                            kept.restore(window, self.shared.extended);
                        }
                        let make = || (screen.window, platform::make_full_screen(screen.window, area, screen.mode));
                        self.changes(screen).then(make)
                    }
                }
            })
        });
        let Some(window) = window else {
            if let (Some(taken), Some(old)) = (self.taken().as_mut(), old) {
                taken.window = Some(old);
            }
            self.leave();
            return Err(guest::Error::NotAvailable);
        };
        if let Some(taken) = self.taken().as_mut() {
            taken.window = window;
        }
        *self.shared.screen() = Some(screen);
        Ok(())
    }

    /// Whether the window is ours to change.
    fn changes(&self, screen: Screen) -> bool {
        self.shared.changes_windows && screen.window != 0
    }

    /// Gives everything back.
    fn leave(&self) {
        *self.shared.screen() = None;
        let Some(taken) = self.taken().take() else { return };
        self.shared.quietly(move || {
            // The hook goes last, and quietly too.
            let taken = taken;
            Output::restore_all();
            if let Some((window, before)) = taken.window {
                before.restore(window, self.shared.extended);
            }
        });
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen { window: 0, mode: Mode { width: 640, height: 480, refresh: 0 }, depth: 32 };

    fn full_screen(extended: bool) -> FullScreen {
        let output = Output::all().remove(0);
        let device = FullScreen::new(output, 0, extended);
        device.set(Some(SCREEN), 0).unwrap();
        device
    }

    #[test]
    fn a_plain_device_is_lost_with_the_focus_and_must_be_reset() {
        let device = full_screen(false);
        assert_eq!(device.condition(), Condition::Good);
        device.shared.activated(false);
        assert_eq!(device.condition(), Condition::Lost);
        device.shared.activated(true);
        assert_eq!(device.condition(), Condition::NotReset);
        device.was_reset(false);
        assert_eq!(device.condition(), Condition::NotReset);
        device.was_reset(true);
        assert_eq!(device.condition(), Condition::Good);
    }

    #[test]
    fn an_extended_device_goes_on_when_it_has_the_focus_again() {
        let device = full_screen(true);
        device.shared.activated(false);
        assert_eq!(device.condition(), Condition::Lost);
        device.shared.activated(true);
        assert_eq!(device.condition(), Condition::Good);
        device.was_reset(false);
        assert_eq!(device.condition(), Condition::Good);
    }

    #[test]
    fn a_device_in_a_window_does_not_care_who_is_active() {
        let device = full_screen(false);
        device.set(None, 0).unwrap();
        assert_eq!(device.screen(), None);
        device.shared.activated(false);
        assert_eq!(device.condition(), Condition::Good);
    }

    #[test]
    fn another_program_changes_the_mode() {
        // No monitor that tests run on shows 640x480.
        let plain = full_screen(false);
        plain.shared.display_changed();
        assert_eq!((plain.condition(), plain.mode_changed()), (Condition::NotReset, false));
        let extended = full_screen(true);
        extended.shared.display_changed();
        assert_eq!((extended.condition(), extended.mode_changed()), (Condition::Good, true));
        extended.was_reset(true);
        assert!(!extended.mode_changed());
        // Coming back sets the mode again.
        extended.shared.display_changed();
        extended.shared.activated(false);
        extended.shared.activated(true);
        assert_eq!((extended.condition(), extended.mode_changed()), (Condition::Good, false));
    }

    #[test]
    fn what_is_done_quietly_is_not_heard() {
        let device = full_screen(false);
        assert!(!device.shared.filters());
        device.shared.quietly(|| {
            assert!(device.shared.filters());
            device.shared.display_changed();
        });
        assert_eq!((device.condition(), device.shared.filters()), (Condition::Good, false));
    }

    #[test]
    fn only_modes_of_the_output_can_be_had() {
        let output = Output::all().remove(0);
        let now = output.current().mode;
        let mut parameters = D3DPRESENT_PARAMETERS {
            BackBufferWidth: now.width,
            BackBufferHeight: now.height,
            hDeviceWindow: 7,
            ..Default::default()
        };
        let wanted = Screen::wanted(&output, &parameters, 3, None).unwrap().unwrap();
        assert_eq!((wanted.window, wanted.mode), (7, Mode { refresh: 0, ..now }));
        parameters.FullScreen_RefreshRateInHz = 7;
        assert_eq!(Screen::wanted(&output, &parameters, 3, None), Err(guest::Error::InvalidCall));
        parameters = D3DPRESENT_PARAMETERS { BackBufferWidth: 801, FullScreen_RefreshRateInHz: 0, ..parameters };
        assert_eq!(Screen::wanted(&output, &parameters, 3, None), Err(guest::Error::InvalidCall));
        parameters.Windowed = TRUE;
        assert_eq!(Screen::wanted(&output, &parameters, 3, None), Ok(None));
        let mode = D3DDISPLAYMODEEX {
            Size: size_of::<D3DDISPLAYMODEEX>() as u32,
            Width: now.width,
            Height: now.height,
            ..Default::default()
        };
        parameters = D3DPRESENT_PARAMETERS { BackBufferWidth: now.width, Windowed: FALSE, ..parameters };
        assert!(Screen::wanted(&output, &parameters, 3, Some(&mode)).is_ok());
        let other = D3DDISPLAYMODEEX { Width: now.width + 8, ..mode };
        assert_eq!(Screen::wanted(&output, &parameters, 3, Some(&other)), Err(guest::Error::InvalidCall));
    }
}
