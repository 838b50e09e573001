//! What a receiver draws over the pictures that it shows: a row per item, with the word that the user writes for it.

use crate::packets::{Corner, Overlay};

macro_rules! items {
    ($( $(#[$doc:meta])* $bit:literal $name:ident $word:literal $prose:literal ; )*) => {
        impl Overlay {
            $( $(#[$doc])* #[doc = concat!("Bit of `items`: ", $prose, ".")] pub const $name: u32 = 1 << $bit; )*
            /// Every bit that an item has.
            pub const ALL: u32 = $( 1 << $bit )|*;
            /// Bit, word and description of every item, in the order in which they are drawn.
            pub const ITEMS: &'static [(u32, &'static str, &'static str)] = &[ $( (1 << $bit, $word, $prose) ),* ];
        }
    };
}

items! {
    0  VERSION     "version"     "this program's version";
    1  API         "api"         "what the program draws with, and the version of Vulkan";
    2  DEVICE      "device"      "device and driver";
    3  FPS         "fps"         "frames a second";
    12 GPU         "gpu"         "the GPU's time a frame, and how much of the time it is busy";
    4  FRAMETIMES  "frametimes"  "a graph of the times from one present to the next, with the slowest percent and tenth of a percent";
    5  SUBMISSIONS "submissions" "submissions to the GPU, a frame";
    6  DRAWCALLS   "drawcalls"   "draws, a frame";
    7  PIPELINES   "pipelines"   "pipelines and shaders made so far";
    8  MEMORY      "memory"      "memory of the device, of the host and of uploads";
    9  COMPILER    "compiler"    "how many shaders and pipelines are being made, while there are any";
    11 STATE       "state"       "what the guest's and the renderer's state tracking did, a draw";
    10 PICTURES    "pictures"    "draws it in screenshots too, not only in windows";
}

impl Overlay {
    /// What is shown where somebody wants figures and has not said which.
    pub const USUAL: u32 = Self::VERSION
        | Self::API
        | Self::DEVICE
        | Self::FPS
        | Self::GPU
        | Self::FRAMETIMES
        | Self::DRAWCALLS
        | Self::PIPELINES
        | Self::MEMORY
        | Self::COMPILER;

    /// What a list of words asks for; `full` is everything but `pictures`. Words that no item has are left out.
    #[must_use]
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>, scale: f32, corner: Corner) -> Self {
        let full = Self::ALL & !Self::PICTURES;
        let item = |word| if word == "full" { full } else { Self::item(word).unwrap_or(0) };
        let items = words.into_iter().fold(0, |items, word| items | item(word));
        let scale = if scale.is_finite() { scale.clamp(0.0, Self::MOST_SCALE) } else { 0.0 };
        Self { items, scale, corner: corner as u8, pad: [0; 7] }
    }

    /// The bit of an item's word.
    #[must_use]
    pub fn item(word: &str) -> Option<u32> {
        Self::ITEMS.iter().find(|(_, name, _)| *name == word).map(|(bit, ..)| *bit)
    }

    /// Whether anything is drawn.
    #[must_use]
    pub const fn is_off(&self) -> bool {
        self.items & (Self::ALL & !Self::PICTURES) == 0
    }
}

impl Corner {
    /// The name that the user writes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TopLeft => "top-left",
            Self::TopRight => "top-right",
            Self::BottomLeft => "bottom-left",
            Self::BottomRight => "bottom-right",
        }
    }

    /// The corner of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|corner| corner.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_a_bit_of_its_own_and_a_word() {
        let all = Overlay::ITEMS.iter().fold(0, |all, (bit, name, _)| {
            assert_eq!(all & bit, 0, "{name}");
            assert_eq!(Overlay::item(name), Some(*bit));
            all | bit
        });
        assert_eq!((all, Overlay::item("speed")), (Overlay::ALL, None));
        let of = |words: &[&str]| Overlay::of(words.iter().copied(), 99.0, Corner::TopRight);
        let some = of(&["fps", "memory", "speed"]);
        assert_eq!((some.items, some.scale), (Overlay::FPS | Overlay::MEMORY, Overlay::MOST_SCALE));
        assert_eq!(of(&["full"]).items, Overlay::ALL & !Overlay::PICTURES);
        let overlay = |items| Overlay { items, ..bytemuck::Zeroable::zeroed() };
        assert!(overlay(Overlay::PICTURES).is_off() && !overlay(Overlay::FPS).is_off());
    }

    #[test]
    fn corners_have_names() {
        for &corner in Corner::ALL {
            assert_eq!(Corner::from_name(corner.name()), Some(corner));
        }
        assert_eq!(Corner::from_name("middle"), None);
    }
}
