//! Options that are one of a few words, or a list of them: each word is declared once, with what it means.

use std::fmt;

/// A word that an option may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// Other ways to write it.
    pub also: &'static [&'static str],
    /// What it means: one line.
    pub about: &'static str,
}

/// An enumeration made of words.
pub trait Words: Copy + Sized + 'static {
    /// The words, in the order of the values.
    const WORDS: &'static [Word];
    /// The values.
    const ALL: &'static [Self];

    /// The value of a word, in any case.
    #[must_use]
    fn from_word(text: &str) -> Option<Self> {
        let is = |word: &Word| [word.name].iter().chain(word.also).any(|name| name.eq_ignore_ascii_case(text));
        Self::WORDS.iter().position(is).map(|index| Self::ALL[index])
    }
}

/// Declares enumerations of words.
macro_rules! words {
    ($( $(#[$doc:meta])* $name:ident { $( $value:ident $word:literal $($also:literal)* : $about:literal )* } )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $( #[doc = $about] $value, )*
        }

        impl Words for $name {
            const WORDS: &'static [Word] = &[$( Word { name: $word, also: &[$($also),*], about: $about } ),*];
            const ALL: &'static [Self] = &[$( Self::$value ),*];
        }

        impl $name {
            /// As it is written in the file.
            #[must_use]
            pub fn name(self) -> &'static str {
                Self::WORDS[self as usize].name
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )* };
}

words! {
    /// A switch that may be left to the circumstances.
    Switch {
        Auto "auto": "what suits the circumstances"
        On "on" "1" "true" "yes": "always"
        Off "off" "0" "false" "no": "never"
    }
    /// Which process renders.
    Renderer {
        Auto "auto": "the program's process if it has a Vulkan driver of its width, else the viewer"
        InProcess "in-process": "the program's own process, on a thread of its own"
        Viewer "viewer": "the viewer, through shared memory"
    }
    /// What is drawn with.
    Graphics {
        Vulkan "vulkan": "Vulkan"
        Metal "metal": "Metal itself, on Macs"
        MetalSoft "metal-soft": "Metal in software, for tests: in the viewer on Linux, slow, needs clang, has no sandbox"
    }
    /// How closely shaders follow Direct3D 9's float rules.
    FloatRules {
        Auto "auto": "the closest that costs little with the device's driver"
        Strict "strict": "to the bit, whatever it costs"
        Balanced "balanced": "0 * x = 0 and the like where it can be seen"
        Relaxed "relaxed": "the device's own arithmetic"
    }
    /// When a picture is shown.
    PresentInterval {
        Program "program": "as the program asks"
        Immediate "immediate" "0" "off": "at once, without waiting for the display"
        One "one" "1" "on": "with the display's next refresh"
        Two "two" "2": "with every second refresh"
        Three "three" "3": "with every third refresh"
        Four "four" "4": "with every fourth refresh"
    }
    /// Where the Vulkan layer answers for transform feedback.
    Feedback {
        Auto "auto": "on devices that do not have it"
        Force "force": "on every device that can have it, whatever it has itself"
        Off "off": "nowhere"
        Plain "plain": "nowhere, and the driver's own is without what extends it, as the layer's is: what that is compared with"
        Hide "hide": "nowhere, and no device has it by itself: what programs do without"
    }
    /// The highest shader model that programs are told of.
    ShaderModel {
        One "1": "vs_1_1 and ps_1_4"
        Two "2": "vs_2_0 and ps_2_0 with their extensions"
        Three "3": "vs_3_0 and ps_3_0"
    }
    /// What the overlay shows.
    HudItem {
        Version "version": "Afterimage's version"
        Api "api": "what the program draws with, and the version of Vulkan"
        Device "device": "device and driver"
        Fps "fps": "frames a second"
        Gpu "gpu": "the GPU's time, a frame, and how much of the time it is busy"
        FrameTimes "frametimes": "a graph of the times from one present to the next"
        Submissions "submissions": "submissions to the GPU, a frame"
        DrawCalls "drawcalls": "draws, a frame"
        State "state": "what state tracking did, a draw: writes that changed states and writes that did not, groups applied"
        Pipelines "pipelines": "pipelines and shaders made so far"
        Memory "memory": "memory of the device, of the host and of uploads"
        Compiler "compiler": "how many shaders and pipelines are being made, while there are any"
        Pictures "pictures": "draws it in screenshots too, not only in windows"
        Full "full" "1" "on": "everything but `pictures`"
    }
    /// A corner of the window.
    HudCorner {
        TopLeft "top-left": "the upper left one"
        TopRight "top-right": "the upper right one"
        BottomLeft "bottom-left": "the lower left one"
        BottomRight "bottom-right": "the lower right one"
    }
    /// Abilities of a device that can be left unused.
    Ability {
        Bindless "bindless": "descriptor indexing"
        DynamicState3 "dynamic_state3": "VK_EXT_extended_dynamic_state3"
        MultiDraw "multi_draw": "VK_EXT_multi_draw"
        DeviceSlots "device_slots": "reading uploads in place where they lie in device memory"
        FloatControls "float_controls": "telling drivers to keep infinities, NaN and signs of zeros"
        RasterOptions "raster_options": "logical operations, wide lines, modes of lines, the choice of the provoking vertex"
        ShaderFeatures "shader_features": "doubles, 64-bit atomics, stores of vertex and pixel shaders, layers that vertex shaders choose, arrays of cubes, storage images of several samples"
        TransformFeedback "transform_feedback": "VK_EXT_transform_feedback: shaders store what they capture themselves"
        NullDescriptor "null_descriptor": "nullDescriptor of VK_EXT_robustness2: where no storage image is bound there is one of one texel"
        BeyondMoltenVk "beyond_moltenvk": "all that MoltenVK lacks, a Vulkan for Macs: any device is held to what that offers"
        BeyondKosmicKrisp "beyond_kosmickrisp": "all that Mesa's KosmicKrisp lacks, likewise"
        Vulkan13 "vulkan_1_3": "Vulkan 1.3, without which nothing is drawn: to see what is said of an old driver"
    }
    /// Formats beyond the documented ones that programs ask for by four letters.
    ExtraFormat {
        Atoc "ATOC": "alpha to coverage"
        Ati1 "ATI1": "one compressed channel"
        Ati2 "ATI2": "two compressed channels"
        Df16 "DF16": "16-bit depth that can be sampled"
        Df24 "DF24": "24-bit depth that can be sampled"
        Intz "INTZ": "depth and stencil that can be sampled"
        Null "NULL": "a colour target without memory"
        R2vb "R2VB": "drawing to vertex buffers"
        Rawz "RAWZ": "raw depth"
        Resz "RESZ": "resolving depth"
    }
    /// Formats of textures that early hardware had, and later drivers have not.
    OldFormat {
        A4l4 "A4L4": "four bits of luminance and of alpha"
        A8p8 "A8P8": "numbers of a palette, and alpha"
        A8r3g3b2 "A8R3G3B2": "colours of eight bits, and alpha"
        CxV8u8 "CxV8U8": "normals whose third component is computed"
        P8 "P8": "numbers of a palette"
        R3g3b2 "R3G3B2": "colours of eight bits"
        R8g8b8 "R8G8B8": "colours of 24 bits"
    }
}

impl Switch {
    /// What is asked for; `None` where it is left to the circumstances.
    #[must_use]
    pub fn forced(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::On => Some(true),
            Self::Off => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct<W: Words>() {
        let mut names: Vec<_> =
            W::WORDS.iter().flat_map(|word| [word.name].into_iter().chain(word.also.iter().copied())).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
        assert_eq!(W::WORDS.len(), W::ALL.len());
    }

    #[test]
    fn no_word_means_two_things() {
        distinct::<Switch>();
        distinct::<PresentInterval>();
        distinct::<HudItem>();
        distinct::<ExtraFormat>();
        distinct::<OldFormat>();
    }

    #[test]
    fn words_are_found_in_any_case_and_by_their_other_names() {
        assert_eq!(Switch::from_word("YES"), Some(Switch::On));
        assert_eq!(Renderer::from_word("In-Process"), Some(Renderer::InProcess));
        assert_eq!(Renderer::from_word("gpu"), None);
        assert_eq!(ExtraFormat::from_word("intz"), Some(ExtraFormat::Intz));
    }
}
