//! Drivers for Macs, which devices here can be held to (`crates/vulkan/src/device/portability.rs`).

/// A Vulkan driver on top of Metal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnMetal {
    #[value(name = "moltenvk")]
    MoltenVk,
    #[value(name = "kosmickrisp")]
    KosmicKrisp,
}

impl OnMetal {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MoltenVk => "MoltenVK",
            Self::KosmicKrisp => "KosmicKrisp",
        }
    }

    /// For file names.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::MoltenVk => "moltenvk",
            Self::KosmicKrisp => "kosmickrisp",
        }
    }

    /// What `AFTERIMAGE_WITHOUT` says then.
    pub(crate) fn without(self) -> &'static str {
        match self {
            Self::MoltenVk => "beyond_moltenvk",
            Self::KosmicKrisp => "beyond_kosmickrisp",
        }
    }
}
