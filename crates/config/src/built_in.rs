//! Built-in profiles: what is set for programs that are known to need it, where the user says nothing.
//!
//! Each row says what is wrong without it, and who found that out; docs/profiles.md is made of them. A row is here if its reason holds
//! for us as for whoever reported it: a fault of the program, or an assumption about the hardware of its time. What another
//! implementation needs because of how that one works is not.

use crate::file;
use crate::hash::FileHash;
use crate::place::Surroundings;
use std::fmt;

/// What is set for a program.
#[derive(Debug)]
pub struct BuiltIn {
    /// The program's name, for people.
    pub title: &'static str,
    /// Its files' names, as in the brackets of a section.
    pub files: &'static [&'static str],
    /// The SHA-256 of the one file that it is about, where the name does not tell.
    pub sha256: Option<&'static str>,
    /// Lines of the configuration.
    pub settings: &'static [&'static str],
    /// What happens otherwise: how a sentence goes on after the program's name.
    pub reason: &'static str,
    /// Where that was found out.
    pub sources: &'static [&'static str],
}

impl BuiltIn {
    /// The options that it sets, by their index, and their values.
    pub fn settings(&self) -> impl Iterator<Item = (usize, String)> + use<> {
        // A test sees to it that there are no mistakes.
        file::parse(&self.settings.join("\n")).0.into_iter().map(|entry| (entry.option, entry.value))
    }

    fn fits(&self, around: &Surroundings<'_>) -> bool {
        let name = around.name();
        self.files.iter().any(|pattern| file::matches(pattern, &name))
            && self.sha256.is_none_or(|wanted| {
                FileHash::of(&around.program).is_ok_and(|found| Some(found) == FileHash::parse(wanted))
            })
    }
}

/// As it stands in a log.
impl fmt::Display for BuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.title, self.reason, self.sources.join(", "))
    }
}

/// The profile of a program, if there is one: the first that fits.
pub(crate) fn find(around: &Surroundings<'_>) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|row| row.fits(around))
}

macro_rules! profiles {
    ($( $title:literal $files:expr $(, sha256 $sha256:literal)? => $settings:expr, $reason:literal $(, $source:literal)+; )*) => {
        /// Every built-in profile.
        pub const BUILT_IN: &[BuiltIn] = &[$( BuiltIn {
            title: $title,
            files: &$files,
            sha256: { let sha256: Option<&str> = None; $( let sha256 = sha256.or(Some($sha256)); )? sha256 },
            settings: &$settings,
            reason: $reason,
            sources: &[$($source),+],
        } ),*];
    };
}

profiles! {
    // Speed, physics or menus that go by frames instead of time.
    "Battle Fantasia: Revised Edition" ["bf10.exe"] => ["fps_limit = 60"],
        "runs as fast as the display refreshes", "https://github.com/doitsujin/dxvk/issues/3145";
    "Beyond Good and Evil" ["BGE.exe"] => ["fps_limit = 60"],
        "draws its menus wrongly above 60 frames a second", "https://github.com/doitsujin/dxvk/pull/2828";
    "Bionic Commando" ["bionic_commando.exe"] => ["fps_limit = 60"],
        "throws and swings wrongly at high frame rates", "https://github.com/doitsujin/dxvk/pull/2685";
    "Dead Space" ["Dead Space.exe"] => ["fps_limit = 60", "present_interval = one"],
        "has a mouse and physics that go wrong above 60 frames a second, and waits for every second refresh by itself",
        "https://github.com/doitsujin/dxvk/pull/2704";
    "Dead Space 2" ["deadspace2.exe"] => ["fps_limit = 60", "present_interval = one"],
        "has physics that go wrong above 60 frames a second, and waits for every second refresh by itself",
        "https://github.com/doitsujin/dxvk/pull/4071";
    "Limbo" ["limbo.exe"] => ["fps_limit = 60"],
        "is meant for 60 frames a second", "https://github.com/doitsujin/dxvk/pull/2566";
    "Sonic CD" ["soniccd.exe"] => ["fps_limit = 60"],
        "runs as fast as it draws", "https://github.com/doitsujin/dxvk/pull/3771";
    "The King of Fighters XIII" ["kofxiii.exe", "kof13_win32_Release.exe"] => ["fps_limit = 60"],
        "runs as fast as the display refreshes", "https://github.com/doitsujin/dxvk/issues/2647";
    "Tomb Raider: Legend, Anniversary, Underworld" ["trl.exe", "tra.exe", "tru.exe"] => ["fps_limit = 60"],
        "has physics that go wrong at high frame rates, until nobody gets further", "https://github.com/doitsujin/dxvk/pull/3446";

    // Memory that is more than a program can count, or than it uses well.
    "Majesty 2" ["Majesty2.exe"] => ["vram_mb = 2048"],
        "takes as much memory as it is told of, and hangs at its start where that is not there",
        "https://github.com/doitsujin/dxvk/pull/2612";
    "TrackMania Forever" ["TmForever.exe"] => ["vram_mb = 1024"],
        "counts 4 GiB of video memory as none, and takes its poorest textures",
        "https://github.com/iXit/Mesa-3D/issues/323";

    // Cards that a program knows.
    "Battle Engine Aquila" ["BEA.exe"]
        => ["vendor_id = 0x10de", "device_id = 0x0330", "device_description = NVIDIA GeForce FX 5900 Ultra"],
        "leaves effects out on cards that its list does not have", "https://github.com/doitsujin/dxvk/pull/4952";
    "Black Mesa" ["bms.exe"] => ["vendor_id = 0x10de"],
        "lights wrongly on cards that say they are Intel's", "https://github.com/doitsujin/dxvk/issues/3061";
    "CivCity: Rome" ["CivCity Rome.exe"] => ["vendor_id = 0x10de"],
        "has shadows on cards of two makers alone", "https://github.com/doitsujin/dxvk/pull/4739";
    "The Sims 2" ["Sims2*.exe", "TS2BodyShop.exe"]
        => ["vendor_id = 0x10de", "device_id = 0x0091", "device_description = GeForce 7800 GTX", "vram_mb = 2048"],
        "goes wrong on cards that are younger than it, and crashes where it is told of much video memory",
        "https://github.com/doitsujin/dxvk/issues/4070", "https://github.com/misyltoad/d9vk/pull/369";
    "The Sims 3" ["TS3.exe", "TS3W.exe"]
        => ["vendor_id = 0x10de", "device_id = 0x1080", "device_description = NVIDIA GeForce GTX 580"],
        "takes poorer shadows on cards that its list does not have", "https://github.com/doitsujin/dxvk/issues/5458";

    // Resources that a program forgets, and then cannot reset its device.
    "Battlefield 2142" ["BF2142.exe"] => ["strict_reset = off"],
        "keeps resources when its window loses the focus, and then tries to reset its device for ever",
        "https://github.com/doitsujin/dxvk/issues/4107";
    "Myst V" ["eoa.exe"] => ["strict_reset = off"],
        "keeps resources when its resolution changes, and stops with an error", "https://github.com/doitsujin/dxvk/issues/4052";
    "Supreme Ruler Ultimate" ["SupremeRulerUltimate.exe"] => ["strict_reset = off"],
        "keeps resources and cannot reset its device", "https://github.com/doitsujin/dxvk/pull/3816";

    // Pixel shaders that multiply infinity by zero: the rules that are quick do so as the device does.
    "BlazBlue: Central Fiction" ["BBCF.exe"] => ["float_rules = strict"],
        "has backgrounds that flicker without Direct3D 9's float rules", "https://github.com/doitsujin/dxvk/pull/2392";
    "Dogfight 1942" ["Dogfight1942.exe"] => ["float_rules = strict"],
        "has black squares and white spots without Direct3D 9's float rules", "https://github.com/doitsujin/dxvk/issues/2186";
    "Rayman Origins" ["Rayman Origins.exe"] => ["float_rules = strict"],
        "draws smoke and flames wrongly without Direct3D 9's float rules", "https://github.com/doitsujin/dxvk/issues/1875";
    "Red Orchestra 2" ["ROGame.exe"] => ["float_rules = strict"],
        "shows nothing of some maps without Direct3D 9's float rules: it sets a constant to infinity",
        "https://github.com/doitsujin/dxvk/issues/2016";
    "Sonic Adventure 2" ["sonic2app.exe"] => ["float_rules = strict"],
        "lacks particles without Direct3D 9's float rules", "https://github.com/doitsujin/dxvk/issues/2672";

    // Formats that a program uses wrongly.
    "Prototype" ["prototypef.exe"] => ["hide_formats = DF16, DF24"],
        "draws its shadows wrongly with the depth formats that other makers' cards had",
        "https://github.com/doitsujin/dxvk/pull/4011";

    // Faults that can be passed over.
    "Fallout: New Vegas" ["FalloutNV.exe"]
        // mov eax,[esi]; mov edx,[eax+0x50]; add esp,4; push edi; call edx. Skipped with them: two more calls of the null object.
        => ["crash_patch = null-access@0x757aa9 code=8b068b505083c40457ffd2 skip=41 pop=4 result=0"],
        "may find no shader of a kind while it loads, and calls the one that it has not got",
        "https://github.com/theodorechapman/dx9mt";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::OPTIONS;
    use crate::{Kind, Settings};
    use std::path::PathBuf;

    #[test]
    fn every_row_sets_what_there_is_and_says_why() {
        for row in BUILT_IN {
            let (entries, mistakes) = file::parse(&row.settings.join("\n"));
            assert_eq!(mistakes, [], "{}", row.title);
            assert_eq!(entries.len(), row.settings.len(), "{}", row.title);
            assert!(entries.iter().all(|entry| entry.profile.is_none()), "{}", row.title);
            assert!(row.sha256.is_none_or(|hash| FileHash::parse(hash).is_some()), "{}", row.title);
            assert!(row.sources.iter().all(|source| source.starts_with("https://")), "{}", row.title);
            assert!(!row.reason.is_empty() && !row.reason.ends_with('.'));
            for entry in entries {
                let option = &OPTIONS[entry.option];
                assert_ne!(entry.value, option.default, "{}: {} is so anyway", row.title, option.name);
                // What is the user's and no program's.
                assert!(!matches!(option.kind, Kind::Path | Kind::Frames), "{}: {}", row.title, option.name);
            }
        }
    }

    #[test]
    fn no_program_has_two_profiles_and_none_fits_all() {
        let files: Vec<(&str, &str)> = BUILT_IN
            .iter()
            .filter(|row| row.sha256.is_none())
            .flat_map(|row| row.files.iter().map(|file| (*file, row.title)))
            .collect();
        for (index, (file, title)) in files.iter().enumerate() {
            let literal = file.replace(['*', '?'], "x");
            let others = files
                .iter()
                .enumerate()
                .filter(|(other, (pattern, _))| *other != index && file::matches(pattern, &literal));
            assert_eq!(others.count(), 0, "{title}: {file}");
            for common in
                ["game.exe", "launcher.exe", "engine.exe", "setup.exe", "main.exe", "afterimage", "afterimage-viewer"]
            {
                assert!(!file::matches(file, common), "{title}: {file} fits {common}");
            }
        }
    }

    #[test]
    fn a_patch_of_a_program_is_for_one_version_of_it() {
        let mut seen = 0;
        for row in BUILT_IN {
            let around = Surroundings { program: PathBuf::from(row.files[0]), variable: &|_| None };
            for patch in Settings::load(&around).crash_patch.iter().flat_map(|patches| patches.iter()) {
                assert!(row.sha256.is_some() || !patch.is_loose(), "{}: {patch}", row.title);
                seen += 1;
            }
        }
        assert!(seen > 0);
    }
}
