//! What a machine lacks, and which package of its distribution has it.
//!
//! A message that says what is missing says how to get it: [`advice`] reads `/etc/os-release`, and, for drivers, which graphics cards
//! are there. Where the distribution is none of the table's, the names of all three families are said.
//!
//! The names are those of Debian 12 and Ubuntu 24.04, Fedora 41 and Arch. Debian's are those that set-up and the tests install; nobody has
//! tried the others here.
#![forbid(unsafe_code)]

mod cards;
mod table;

pub use cards::{Card, cards};
pub use table::{Family, Need};

use std::path::{Path, PathBuf};

/// The root of the system's files: Wine shows it as drive Z:.
fn root() -> PathBuf {
    PathBuf::from(if cfg!(windows) { r"Z:\" } else { "/" })
}

/// How to get something on this machine: a command where its distribution is known, else the packages' names.
#[must_use]
pub fn advice(need: Need) -> String {
    advice_at(&root(), need)
}

/// The graphics cards of this machine.
#[must_use]
pub fn cards_here() -> Vec<Card> {
    cards(&root())
}

/// [`advice`] of a machine whose files are below `root`.
#[must_use]
pub fn advice_at(root: &Path, need: Need) -> String {
    let files = ["etc/os-release", "usr/lib/os-release"];
    let text = files.iter().find_map(|file| std::fs::read_to_string(root.join(file)).ok()).unwrap_or_default();
    let cards = if need.is_driver() { cards(root) } else { Vec::new() };
    match Family::of(&text) {
        Some(family) => need.command(family, &cards),
        None => {
            let named = |family: &Family| format!("{}: {}", family.name(), need.packages(*family, &cards).join(" "));
            let all: Vec<String> = Family::ALL.iter().map(named).collect();
            format!("install {} ({})", need.what(), all.join("; "))
        }
    }
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn machine(release: &str, cards: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc")).unwrap();
        fs::write(root.path().join("etc/os-release"), release).unwrap();
        for (number, (vendor, class)) in cards.iter().enumerate() {
            let folder = root.path().join(format!("sys/bus/pci/devices/0000:0{number}:00.0"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("vendor"), format!("{vendor}\n")).unwrap();
            fs::write(folder.join("device"), "0x2330\n").unwrap();
            fs::write(folder.join("class"), format!("{class}\n")).unwrap();
        }
        root
    }

    #[test]
    fn a_known_distribution_gets_its_command() {
        let debian = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n";
        let said = |release: &str, need| advice_at(machine(release, &[]).path(), need);
        assert_eq!(said(debian, Need::VulkanDriver), "apt-get install mesa-vulkan-drivers");
        let wine32 = "dpkg --add-architecture i386 && apt-get update && apt-get install wine32:i386";
        assert_eq!(said(debian, Need::Wine32), wine32);
        assert_eq!(said("ID=ubuntu\nID_LIKE=debian\n", Need::Xvfb), "apt-get install xvfb");
        assert_eq!(said("ID=\"fedora\"\n", Need::Xvfb), "dnf install xorg-x11-server-Xvfb");
        assert_eq!(said("ID=nobara\nID_LIKE='rhel centos fedora'\n", Need::Wine), "dnf install wine");
        assert_eq!(said("ID=cachyos\nID_LIKE=arch\n", Need::VulkanLoader), "pacman -S vulkan-icd-loader");
    }

    #[test]
    fn an_unknown_one_gets_all_names() {
        let said = advice_at(machine("ID=gentoo\n", &[]).path(), Need::Xvfb);
        assert_eq!(said, "install Xvfb (Debian: xvfb; Fedora: xorg-x11-server-Xvfb; Arch: xorg-server-xvfb)");
        assert_eq!(said, advice_at(tempfile::tempdir().unwrap().path(), Need::Xvfb), "without a file");
    }

    #[test]
    fn the_driver_is_that_of_the_card() {
        let arch = |cards: &[(&str, &str)]| advice_at(machine("ID=arch\n", cards).path(), Need::VulkanDriver);
        assert_eq!(arch(&[("0x10de", "0x030000")]), "pacman -S nvidia-utils");
        assert_eq!(arch(&[("0x8086", "0x030000"), ("0x1002", "0x038000")]), "pacman -S vulkan-radeon vulkan-intel");
        // A network card of Intel's draws nothing.
        assert_eq!(arch(&[("0x8086", "0x020000")]), "pacman -S vulkan-swrast");
        let debian = machine("ID=debian\n", &[("0x1002", "0x030000"), ("0x8086", "0x030000")]);
        assert_eq!(advice_at(debian.path(), Need::VulkanDriver), "apt-get install mesa-vulkan-drivers", "once");
        let names: Vec<String> = cards(debian.path()).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["AMD 1002:2330", "Intel 8086:2330"]);
    }
}
