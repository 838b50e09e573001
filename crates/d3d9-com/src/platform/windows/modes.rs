//! Monitors and their display modes.

use core::mem::zeroed;
use core::ptr::{null, null_mut};

use afterimage_d3d9_types::{BOOL, HDC, HMONITOR, RECT};

use super::super::{Area, Current, Mode};
use super::sys::*;

const ENUM_CURRENT_SETTINGS: u32 = u32::MAX;
const ENUM_REGISTRY_SETTINGS: u32 = u32::MAX - 1;

/// A monitor that is part of the desktop: what Direct3D calls an adapter.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// Such as `\\.\DISPLAY1`.
    name: DeviceName,
}

impl Output {
    /// Every one, the primary first.
    pub(crate) fn all() -> Vec<Self> {
        const ATTACHED: u32 = 1;
        const PRIMARY: u32 = 4;
        let device = |index| {
            // SAFETY: plain data, for which zeros are good.
            let mut device: DisplayDevice = unsafe { zeroed() };
            device.size = size_of::<DisplayDevice>() as u32;
            // SAFETY: the structure has the size that it says.
            (unsafe { EnumDisplayDevicesW(null(), index, &mut device, 0) } != 0).then_some(device)
        };
        let mut found: Vec<_> = (0..).map_while(device).filter(|device| device.flags & ATTACHED != 0).collect();
        found.sort_by_key(|device| device.flags & PRIMARY == 0);
        let mut all: Vec<_> = found.iter().map(|device| Self { name: device.name }).collect();
        if all.is_empty() {
            // A session without a display: the functions below then speak of the default one.
            all.push(Self { name: [0; 32] });
        }
        all
    }

    /// Its name as programs see it.
    pub(crate) fn name(&self) -> String {
        let end = self.name.iter().position(|&unit| unit == 0).unwrap_or(self.name.len());
        String::from_utf16_lossy(&self.name[..end])
    }

    fn name_pointer(&self) -> *const u16 {
        if self.name[0] == 0 { null() } else { self.name.as_ptr() }
    }

    fn settings(&self, mode: u32) -> Option<DisplaySettings> {
        // SAFETY: plain data, for which zeros are good.
        let mut settings: DisplaySettings = unsafe { zeroed() };
        settings.size = size_of::<DisplaySettings>() as u16;
        // SAFETY: the structure has the size that it says, and the name ends.
        (unsafe { EnumDisplaySettingsW(self.name_pointer(), mode, &mut settings) } != 0).then_some(settings)
    }

    /// What it shows now.
    pub(crate) fn current(&self) -> Current {
        let unknown = Current { mode: Mode { width: 1024, height: 768, refresh: 60 }, depth: 32, turns: 0 };
        self.settings(ENUM_CURRENT_SETTINGS).filter(|s| s.width != 0 && s.height != 0).map_or(unknown, |settings| {
            Current { mode: mode_of(&settings), depth: settings.bits_per_pixel, turns: settings.orientation }
        })
    }

    /// Every mode of so many bits a pixel, ascending. A system that has only modes of 32 bits shows those of 16 with them.
    pub(crate) fn modes(&self, depth: u32) -> Vec<Mode> {
        let all: Vec<_> = (0..).map_while(|index| self.settings(index)).collect();
        let of = |depth: u32| all.iter().filter(move |s| s.bits_per_pixel == depth).map(mode_of).collect::<Vec<_>>();
        let mut modes = of(depth);
        if modes.is_empty() {
            modes = of(32);
        }
        if modes.is_empty() {
            modes.push(self.current().mode);
        }
        modes.sort();
        modes.dedup();
        modes
    }

    /// The monitor that shows it; 0 while it is detached.
    pub(crate) fn monitor(&self) -> HMONITOR {
        self.find().map_or(0, |(monitor, _)| monitor)
    }

    /// Where it is on the desktop.
    pub(crate) fn area(&self) -> Option<Area> {
        let (_, rect) = self.find()?;
        Some(Area { x: rect.left, y: rect.top, width: rect.right - rect.left, height: rect.bottom - rect.top })
    }

    fn find(&self) -> Option<(HMONITOR, RECT)> {
        struct Search {
            name: DeviceName,
            found: Option<(HMONITOR, RECT)>,
        }
        /// # Safety
        /// `search` is a `Search`.
        unsafe extern "system" fn each(monitor: HMONITOR, _: HDC, _: *mut RECT, search: isize) -> BOOL {
            const PRIMARY: u32 = 1;
            // SAFETY: the caller's promise.
            let search = unsafe { &mut *(search as *mut Search) };
            // SAFETY: plain data, for which zeros are good.
            let mut info: MonitorInfo = unsafe { zeroed() };
            info.size = size_of::<MonitorInfo>() as u32;
            // SAFETY: the structure has the size that it says.
            let known = unsafe { GetMonitorInfoW(monitor, &mut info) } != 0;
            let same = if search.name[0] == 0 { info.flags & PRIMARY != 0 } else { info.device == search.name };
            if known && same {
                search.found = Some((monitor, info.monitor));
            }
            search.found.is_none().into()
        }
        // What comes after the end of a name is not part of it.
        let mut search = Search { name: self.name, found: None };
        // SAFETY: the structure outlives the call, which is all that the function needs.
        unsafe { EnumDisplayMonitors(0, null(), each, (&raw mut search) as isize) };
        search.found
    }

    /// Changes the mode for as long as the program runs; false where the system refuses. A refresh rate of 0 leaves it to the
    /// system.
    pub(crate) fn change(&self, mode: Mode) -> bool {
        const FIELDS_SIZE: u32 = 0x18_0000;
        const FIELD_FREQUENCY: u32 = 0x40_0000;
        const CDS_FULLSCREEN: u32 = 4;
        let now = self.current().mode;
        let same_rate = mode.refresh == 0 || mode.refresh == now.refresh;
        if (now.width, now.height) == (mode.width, mode.height) && same_rate {
            return true;
        }
        // SAFETY: plain data, for which zeros are good.
        let mut settings: DisplaySettings = unsafe { zeroed() };
        settings.size = size_of::<DisplaySettings>() as u16;
        settings.fields = FIELDS_SIZE | if mode.refresh == 0 { 0 } else { FIELD_FREQUENCY };
        (settings.width, settings.height, settings.frequency) = (mode.width, mode.height, mode.refresh);
        // SAFETY: the structure has the size that it says, and the name ends.
        let result = unsafe { ChangeDisplaySettingsExW(self.name_pointer(), &settings, 0, CDS_FULLSCREEN, null()) };
        if result != 0 {
            tracing::warn!(output = self.name(), ?mode, result, "the display mode cannot be changed");
        }
        result == 0
    }

    /// Brings every output back to the mode that the user has chosen for it, where one has another.
    pub(crate) fn restore_all() {
        let changed = |output: &Self| {
            let (now, wanted) = (output.settings(ENUM_CURRENT_SETTINGS), output.settings(ENUM_REGISTRY_SETTINGS));
            let key = |s: DisplaySettings| (s.width, s.height, s.frequency, s.bits_per_pixel, s.orientation);
            wanted.is_some() && now.map(key) != wanted.map(key)
        };
        if Self::all().iter().any(changed) {
            // SAFETY: null for everything restores everything.
            unsafe { ChangeDisplaySettingsExW(null(), null(), 0, 0, null_mut()) };
        }
    }
}

fn mode_of(settings: &DisplaySettings) -> Mode {
    // 0 and 1 stand for a default that nobody names.
    let refresh = if settings.frequency > 1 { settings.frequency } else { 60 };
    Mode { width: settings.width, height: settings.height, refresh }
}
