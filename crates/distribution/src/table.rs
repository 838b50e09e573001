//! The table: what can be missing, and what each family of distributions calls the package that has it.

use crate::cards::Card;

/// Distributions that have the same packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Debian, Ubuntu, Mint.
    Debian,
    /// Fedora, Nobara.
    Fedora,
    /// Arch, SteamOS, CachyOS.
    Arch,
}

impl Family {
    /// All of them, in the order of the table's columns.
    pub const ALL: [Self; 3] = [Self::Debian, Self::Fedora, Self::Arch];

    /// The family by the text of `os-release`: of the distribution itself, else of what it says that it is like.
    #[must_use]
    pub fn of(os_release: &str) -> Option<Self> {
        let value = |key: &str| {
            let line = os_release.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches(['"', '\'']).to_ascii_lowercase()
        };
        let named = |word: &str| match word {
            "debian" | "ubuntu" => Some(Self::Debian),
            "fedora" => Some(Self::Fedora),
            "arch" => Some(Self::Arch),
            _ => None,
        };
        named(&value("ID")).or_else(|| value("ID_LIKE").split_whitespace().find_map(named))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debian => "Debian",
            Self::Fedora => "Fedora",
            Self::Arch => "Arch",
        }
    }

    fn installs(self) -> &'static str {
        match self {
            Self::Debian => "apt-get install",
            Self::Fedora => "dnf install",
            Self::Arch => "pacman -S",
        }
    }
}

macro_rules! needs {
    ($( $(#[$doc:meta])* $name:ident $what:literal: $debian:literal, $fedora:literal, $arch:literal; )*) => {
        /// What can be missing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Need { $( $(#[$doc])* $name, )* }

        impl Need {
            /// All of them.
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            /// What it is, in words.
            #[must_use]
            pub fn what(self) -> &'static str {
                match self { $( Self::$name => $what, )* }
            }

            /// Its packages, whatever cards there are.
            fn row(self) -> [&'static str; 3] {
                match self { $( Self::$name => [$debian, $fedora, $arch], )* }
            }
        }
    };
}

needs! {
    /// What finds Vulkan drivers.
    VulkanLoader "the Vulkan loader": "libvulkan1", "vulkan-loader", "vulkan-icd-loader";
    /// The same for 32-bit programs, with drivers.
    Vulkan32 "Vulkan for 32-bit programs":
        "libvulkan1:i386 mesa-vulkan-drivers:i386", "vulkan-loader.i686 mesa-vulkan-drivers.i686",
        "lib32-vulkan-icd-loader lib32-vulkan-swrast";
    /// A driver for the cards that there are; for the processor where there are none.
    VulkanDriver "a Vulkan driver": "mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast";
    /// The validation layer.
    ValidationLayer "Vulkan's validation layer":
        "vulkan-validationlayers", "vulkan-validation-layers", "vulkan-validation-layers";
    /// Wine.
    Wine "Wine": "wine wine64", "wine", "wine";
    /// What runs 32-bit Windows programs: Arch's Wine does.
    Wine32 "Wine for 32-bit programs": "wine32:i386", "wine-core.i686", "wine";
    /// An X server without a screen.
    Xvfb "Xvfb": "xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb";
    /// spirv-val.
    SpirvTools "spirv-val": "spirv-tools", "spirv-tools", "spirv-tools";
}

/// Drivers of graphics cards by their vendor; another vendor's are in Mesa.
const DRIVERS: &[(u16, [&str; 3])] = &[
    (Card::NVIDIA, ["nvidia-vulkan-icd", "akmod-nvidia xorg-x11-drv-nvidia-libs", "nvidia-utils"]),
    (Card::AMD, ["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-radeon"]),
    (Card::INTEL, ["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-intel"]),
];

impl Need {
    /// Whether it depends on the machine's graphics cards.
    pub(crate) fn is_driver(self) -> bool {
        self == Self::VulkanDriver
    }

    /// What a family calls it.
    #[must_use]
    pub fn packages(self, family: Family, cards: &[Card]) -> Vec<&'static str> {
        let column = family as usize;
        let of_card =
            |card: &Card| DRIVERS.iter().find(|(vendor, _)| *vendor == card.vendor).map(|(_, names)| names[column]);
        let mut found: Vec<&str> = Vec::new();
        let drivers = cards.iter().filter(|_| self.is_driver()).filter_map(of_card);
        for name in drivers {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        if found.is_empty() { vec![self.row()[column]] } else { found }
    }

    /// The command that installs it.
    pub(crate) fn command(self, family: Family, cards: &[Card]) -> String {
        let packages = self.packages(family, cards).join(" ");
        let before = match (self, family) {
            // Debian installs packages of another architecture once it has been told of that.
            (Self::Wine32 | Self::Vulkan32, Family::Debian) => "dpkg --add-architecture i386 && apt-get update && ",
            _ => "",
        };
        format!("{before}{} {packages}", family.installs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_everywhere() {
        for need in Need::ALL {
            assert!(!need.what().is_empty());
            for family in Family::ALL {
                let command = need.command(family, &[]);
                assert!(command.len() > family.installs().len() + 1, "{need:?}: {command}");
            }
        }
    }
}
