//! The graphics cards of a machine, as Linux lists them whether or not a driver is there.

use std::fmt;
use std::path::Path;

/// Cards that are looked at: a machine has a few.
const MOST: usize = 16;

/// A graphics card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Card {
    /// PCI vendor.
    pub vendor: u16,
    /// PCI device.
    pub device: u16,
}

impl Card {
    /// NVIDIA.
    pub const NVIDIA: u16 = 0x10de;
    /// AMD.
    pub const AMD: u16 = 0x1002;
    /// Intel.
    pub const INTEL: u16 = 0x8086;
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vendor = match self.vendor {
            Self::NVIDIA => "NVIDIA ",
            Self::AMD => "AMD ",
            Self::INTEL => "Intel ",
            _ => "",
        };
        write!(f, "{vendor}{:04x}:{:04x}", self.vendor, self.device)
    }
}

/// The graphics cards of the machine whose files are below `root`: PCI devices of the class of displays.
#[must_use]
pub fn cards(root: &Path) -> Vec<Card> {
    let devices = std::fs::read_dir(root.join("sys/bus/pci/devices")).into_iter().flatten().flatten();
    let card = |folder: &Path| {
        let number = |file: &str| {
            let text = std::fs::read_to_string(folder.join(file)).ok()?;
            u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()
        };
        let is_display = number("class")? >> 16 == 3;
        let id = |file: &str| u16::try_from(number(file)?).ok();
        is_display.then_some(Card { vendor: id("vendor")?, device: id("device")? })
    };
    let mut found: Vec<Card> = devices.filter_map(|entry| card(&entry.path())).take(MOST).collect();
    found.sort();
    found
}
