//! The table of options: one row each. The fields of [`Values`], the file, the environment's names, the generated
//! `afterimage.conf` and docs/configuration.md all come from here.

use crate::crash_patch::CrashPatches;
use crate::frames::FrameSet;
use crate::value::{Kind, Read};
use crate::words::*;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Who reads an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// `d3d9.dll` or `libd3d9.so`, in the program's process.
    Library,
    /// Whichever process renders: the program's, the viewer, `afterimage replay`.
    Renderer,
    /// The viewer.
    Viewer,
    /// The `afterimage` command.
    Command,
    /// The Vulkan layer, in the program's process.
    Layer,
    /// All of them.
    Everybody,
}

impl Reader {
    /// As the documentation says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Library => "the Direct3D library",
            Self::Renderer => "the process that renders",
            Self::Viewer => "the viewer",
            Self::Command => "the `afterimage` command",
            Self::Layer => "the Vulkan layer",
            Self::Everybody => "every process",
        }
    }
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name in the file.
    pub name: &'static str,
    /// The title that it stands under.
    pub group: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is where nobody says anything, as it would be written in the file; empty for nothing.
    pub default: &'static str,
    /// Who reads it.
    pub reader: Reader,
    /// What it does: one line.
    pub summary: &'static str,
    /// More about it; may be empty.
    pub prose: &'static str,
}

impl Row {
    /// The environment variable that says the same: `AFTERIMAGE_` and the name in capitals.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("AFTERIMAGE_{}", self.name.to_ascii_uppercase())
    }
}

const fn integer(least: u32, most: u32) -> Kind {
    Kind::Integer { least, most }
}

const fn real(least: f32, most: f32) -> Kind {
    Kind::Real { least, most }
}

macro_rules! options {
    ($( $group:literal { $(
        $field:ident $name:literal: $type:ty = $default:literal, $kind:expr, $reader:ident,
            $summary:literal, $prose:literal;
    )* } )*) => {
        /// Every option, in the order of the documentation.
        pub const OPTIONS: &[Row] = &[$( $( Row {
            name: $name,
            group: $group,
            kind: $kind,
            default: $default,
            reader: Reader::$reader,
            summary: $summary,
            prose: $prose,
        }, )* )*];

        /// A value for each option.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Values {
            $( $( #[doc = $summary] pub $field: $type, )* )*
        }

        #[allow(non_camel_case_types, reason = "named as the options are")]
        #[derive(Clone, Copy)]
        enum Index { $( $( $field, )* )* }

        impl Default for Values {
            /// What each option is where nobody says anything.
            fn default() -> Self {
                Self { $( $( $field: {
                    let row = &OPTIONS[Index::$field as usize];
                    // A test reads every default.
                    Read::read(row.default, &row.kind).unwrap_or_else(|| panic!("the default of {}", row.name))
                }, )* )* }
            }
        }

        impl Values {
            /// Stores what is written for the option of an index in [`OPTIONS`]; false if it cannot be that.
            pub(crate) fn set(&mut self, index: usize, text: &OsStr) -> bool {
                $( $( if index == Index::$field as usize {
                    let Some(value) = Read::read_os(text, &OPTIONS[index].kind) else { return false };
                    self.$field = value;
                    return true;
                } )* )*
                false
            }
        }
    };
}

options! {
    "Who renders, and on what" {
        renderer "renderer": Renderer = "auto", Kind::Choice(Renderer::WORDS), Library,
            "Which process renders.",
            "A 32-bit program has more memory left with the viewer, and a driver that crashes takes the viewer down instead of \
             the program: another viewer goes on where it was.";
        graphics "graphics": Graphics = "vulkan", Kind::Choice(Graphics::WORDS), Renderer,
            "What is drawn with.",
            "Metal is on Macs alone; elsewhere that is said, and Vulkan draws. docs/metal.md has what it does not draw yet. Windows \
             programs are drawn by the viewer then (where `renderer` does not say otherwise), and show its pictures themselves.";
        device "device": Option<String> = "", Kind::Text, Renderer,
            "Which Vulkan device renders: a part of its name, in any case, or its number in `afterimage info`.",
            "The first discrete one where nothing is said.";
        validate "validate": Switch = "auto", Kind::Choice(Switch::WORDS), Renderer,
            "Use Vulkan's validation layer.",
            "Slow. `auto` uses it in debug builds where it is installed.";
        gpu_timeout_s "gpu_timeout_s": u32 = "0", integer(0, 86_400), Renderer,
            "How many seconds the GPU may take for what it is given at once; 0 is 10 s, and 60 s where the CPU draws.",
            "Where a process renders for one program alone. What takes longer is named, by frame, draw and shader, the program is told that \
             its device is lost, and gets a new renderer.";
        without "without": Vec<Ability> = "", Kind::List(Ability::WORDS), Renderer,
            "Abilities of the device to leave unused.",
            "For those who look for the fault of a driver or of ours.";
        sandbox "sandbox": bool = "on", Kind::OnOff, Renderer,
            "Whether processes that render for others can reach little else.",
            "On Linux, by Landlock and seccomp: the viewer's renderers, and those of `afterimage`. Off helps where a driver needs more than \
             docs/sandbox.md has; please tell us then.";
    }
    "Finding one another" {
        dir "dir": Option<PathBuf> = "", Kind::Path, Everybody,
            "The private folder in which programs and the viewer meet.",
            "The default is afterimage in $XDG_RUNTIME_DIR, else ~/.local/state/afterimage/run.";
        viewer_wait_ms "viewer_wait_ms": u32 = "5000", integer(0, 600_000), Library,
            "How many milliseconds a program waits for a viewer.",
            "For one that `start_viewer` starts at least 20 s.";
        start_viewer "start_viewer": Option<PathBuf> = "", Kind::Path, Library,
            "The viewer's program, which a program starts that needs a viewer where none runs: /usr/bin/afterimage-viewer.",
            "It serves other programs too and ends with the last of them. `afterimage run` starts one by itself.";
        message_box "message_box": Switch = "auto", Kind::Choice(Switch::WORDS), Library,
            "Say in a message box why a Windows program cannot be drawn, and ask whether to try again.",
            "Once for each process, behind half a second if no viewer runs and `viewer_wait_ms` is not set. `auto` has none where the \
             environment has CI, which says that nobody sits there.";
        headless "headless": bool = "off", Kind::OnOff, Library,
            "Draw into no window: programs may have windows, and nothing appears in them.",
            "`afterimage run --headless` sets it.";
        soft_present "soft_present": Switch = "auto", Kind::Choice(Switch::WORDS), Library,
            "Have a Windows program draw its pictures into its window by GDI, for which each comes back from the renderer.",
            "Slow, and without overlay and gamma. `auto` does so where nothing else can be drawn into: a window inside of another one, or one \
             with a menu, that the viewer draws for, and a window that Vulkan refuses.";
        own_windows "own_windows": bool = "off", Kind::OnOff, Viewer,
            "Show every program in a window of the viewer, also where the program has one.",
            "The viewer's windows have keys for pictures and captures.";
        dll_dir "dll_dir": Option<PathBuf> = "", Kind::Path, Command,
            "A folder with d3d9.dll and libd3d9.so for `afterimage run` and `install` to take first.",
            "";
    }
    "Frames" {
        present_interval "present_interval": PresentInterval = "program", Kind::Choice(PresentInterval::WORDS), Library,
            "When a finished picture is shown: forces waiting for the display's refresh, or forbids it.",
            "What the program is told about its own choice does not change.";
        fps_limit "fps_limit": f32 = "0", real(0.0, 1000.0), Library,
            "Most frames per second; 0 for no limit.",
            "Present waits as long as it takes. For programs whose physics breaks at high rates, or for a quieter fan.";
        max_frame_latency "max_frame_latency": Option<u32> = "", integer(1, 16), Library,
            "How many frames the program may be ahead of the renderer.",
            "Three where nothing is said. One shows what was done soonest, more even out frames that take long.";
        arena_mb "arena_mb": Option<u32> = "", integer(1, 2048), Library,
            "MiB of each block of memory through which a frame's data goes.",
            "8 where nothing is said; at most 4 where the device is the processor. A frame whose data does not fit takes several \
             blocks.";
    }
    "Picture" {
        float_rules "float_rules": FloatRules = "auto", Kind::Choice(FloatRules::WORDS), Renderer,
            "How closely shaders follow Direct3D 9's float rules.",
            "If something is black, flickers or is missing, try `strict`.";
        async_pipelines "async": bool = "off", Kind::OnOff, Renderer,
            "Skip draws whose pipeline is not made yet, instead of waiting for it.",
            "Fewer stutters. Things appear late, and what is drawn only once may be missing for good.";
        record_thread "record_thread": Switch = "auto", Kind::Choice(Switch::WORDS), Renderer,
            "Whether calls of draws go into Vulkan's command buffers on a thread of their own.",
            "`auto` has one where there are four cores and the device is no processor. A renderer with a process of its own has none: it tells the draw that a driver ends in.";
        merge_draws "merge_draws": Switch = "auto", Kind::Choice(Switch::WORDS), Renderer,
            "Record draws that differ in constants and textures alone in one call, where the device can.",
            "`auto` does so with drivers that were seen to gain by it and to give the same pictures: NVIDIA's own.";
        pipeline_libraries "pipeline_libraries": Switch = "auto", Kind::Choice(Switch::WORDS), Renderer,
            "Make the stages of pipelines apart from one another, and link them when a draw asks.",
            "Fewer stutters: what a draw waits for is made when its shaders are created, whichever they are drawn with. `auto` does so on \
             GPUs whose driver links quickly.";
        force_anisotropy "force_anisotropy": u32 = "0", integer(0, 16), Library,
            "Filter textures with this anisotropy wherever the program filters them linearly; 0 leaves it to the program.",
            "Textures that are sampled without mip maps or with point filters stay as they are.";
        lod_bias "lod_bias": f32 = "0", real(-4.0, 4.0), Library,
            "Added to the program's own bias of mip levels: below 0 is sharper, above 0 is smoother.",
            "";
        hud "hud": Vec<HudItem> = "", Kind::List(HudItem::WORDS), Everybody,
            "What an overlay on the picture shows.",
            "What the program's side says goes before what the viewer was told.";
        hud_position "hud_position": HudCorner = "top-left", Kind::Choice(HudCorner::WORDS), Everybody,
            "The corner of the window that the overlay is in.",
            "";
        hud_scale "hud_scale": f32 = "0", real(0.0, 16.0), Everybody,
            "How many pixels of the window a pixel of the overlay's letters has; 0 goes by the window's height.",
            "";
        hud_log "hud_log": Option<PathBuf> = "", Kind::Path, Renderer,
            "A file to write a line of figures to for each frame, in the format of MangoHud's logs, which mangoplot and others read.",
            "What is not known there, such as temperatures, is 0; the name ends with .csv where mangoplot is to find it.";
    }
    "What programs are told" {
        vendor_id "vendor_id": Option<u32> = "", integer(0, 0xffff), Library,
            "The PCI vendor that GetAdapterIdentifier names, such as 0x10de, 0x1002 or 0x8086.",
            "Some programs choose their settings, or refuse to start, by this and the two that follow.";
        device_id "device_id": Option<u32> = "", integer(0, 0xffff), Library,
            "The PCI device that GetAdapterIdentifier names.",
            "";
        device_description "device_description": Option<String> = "", Kind::Text, Library,
            "The device's name in GetAdapterIdentifier.",
            "";
        vram_mb "vram_mb": Option<u32> = "", integer(1, 1 << 20), Library,
            "MiB of video memory that GetAvailableTextureMem speaks of.",
            "The device's where nothing is said. 32-bit programs that cannot count beyond 2 or 4 GiB want 1024.";
        shader_model "shader_model": ShaderModel = "3", Kind::Choice(ShaderModel::WORDS), Library,
            "The highest shader model that the device says it has.",
            "Shaders of a higher one are refused then, as on such a device.";
        max_anisotropy "max_anisotropy": Option<u32> = "", integer(1, 16), Library,
            "The highest anisotropy that the device says it has.",
            "";
        max_texture_size "max_texture_size": Option<u32> = "", integer(256, 16_384), Library,
            "The largest edge of a texture that the device says it has, in texels.",
            "For programs that were written for 2048 or 4096 and go wrong with more.";
        hide_formats "hide_formats": Vec<ExtraFormat> = "", Kind::List(ExtraFormat::WORDS), Library,
            "Formats beyond the documented ones that CheckDeviceFormat says are not there.",
            "For programs that take a way with them which goes wrong.";
        old_formats "old_formats": Vec<OldFormat> = "", Kind::List(OldFormat::WORDS), Library,
            "Formats of textures that early hardware had, and that are to be there.",
            "Later drivers have none of them, and programs are used to that: with R8G8B8, D3DX makes textures of 24 bits. Some early programs want P8.";
        allow_ex "allow_ex": bool = "on", Kind::OnOff, Library,
            "Whether Direct3DCreate9Ex works.",
            "Off is what Windows XP does: programs then take Direct3D 9 without Ex.";
    }
    "Programs that draw with Vulkan" {
        xfb "xfb": Feedback = "auto", Kind::Choice(Feedback::WORDS), Layer,
            "Where VK_LAYER_AFTERIMAGE_transform_feedback gives programs VK_EXT_transform_feedback.",
            "docs/layer.md says how the layer is switched on.";
    }
    "Help for programs with faults" {
        force_windowed "force_windowed": bool = "off", Kind::OnOff, Library,
            "Make full-screen devices windowed.",
            "The program's window stays as it is. The display modes of full-screen devices have no say.";
        strict_reset "strict_reset": bool = "on", Kind::OnOff, Library,
            "Refuse Reset while the program holds resources of the default pool, as Direct3D 9 must.",
            "Off helps programs that leak one and then hang in the attempt to reset.";
        texture_refresh_frames "texture_refresh_frames": u32 = "0", integer(0, 1_000_000), Library,
            "Send managed textures anew every so many frames; 0 for never.",
            "Only for hunting lost updates: it costs what sending them costs.";
        guard_draws "guard_draws": bool = "off", Kind::OnOff, Library,
            "Refuse draws whose vertex declaration reads a stream that has no buffer.",
            "Without it such a stream reads as zeros, which is what Direct3D 9's drivers do.";
        built_in_profiles "built_in_profiles": bool = "on", Kind::OnOff, Everybody,
            "Whether programs that are known to need a setting get it.",
            "docs/profiles.md lists them. What the file or the environment says about an option goes before.";
        crash_patch "crash_patch": Option<CrashPatches> = "", Kind::CrashPatches, Library,
            "How a Windows program goes on behind a null pointer that it follows at a known place.",
            "docs/profiles.md says how one is written.";
    }
    "Pictures, captures, figures" {
        screenshots "screenshots": Option<PathBuf> = "", Kind::Path, Renderer,
            "A folder to write presented pictures to, as frame-000001.png and so on.",
            "";
        screenshot_frames "screenshot_frames": Option<FrameSet> = "", Kind::Frames, Renderer,
            "Which frames to write; every one where nothing is said.",
            "";
        capture_frames "capture_frames": Option<FrameSet> = "", Kind::Frames, Renderer,
            "Which frames to capture into `capture_file`. Where they are several ranges, each has a file of its own.",
            "";
        capture_file "capture_file": Option<PathBuf> = "", Kind::Path, Renderer,
            "Where the capture goes, for `afterimage replay`; NAME-FIRST-LAST.aftercap beside it where there are several ranges.",
            "";
        keys "keys": bool = "on", Kind::OnOff, Library,
            "Whether F10 in a program's own window captures the next frame, F12 saves a picture, and Shift+F12 shows or hides the overlay.",
            "The program gets these keys, too. Off for programs that have a use for them.";
        stats "stats": Option<PathBuf> = "", Kind::Path, Renderer,
            "A file to write figures about the run to, as JSON, when it ends.",
            "";
        check_state "check_state": Switch = "auto", Kind::Choice(Switch::WORDS), Everybody,
            "Behind each draw, compute again what state tracking left alone, and log what it should not have.",
            "Slow. `auto` does so in debug builds, where it ends the program.";
        apply_all "apply_all": bool = "off", Kind::OnOff, Everybody,
            "Apply every state at every draw, as if nothing were tracked.",
            "To measure what tracking saves, or where a picture is right with it and wrong without.";
        apply "apply": Option<String> = "", Kind::Text, Everybody,
            "Groups of states to apply at every draw, as if nothing of them were tracked: names with commas between, such as Blend,Raster.",
            "Where a picture is right with a group and wrong without, a state does not mark it that it reads. The log says which groups there \
             are, of the guest and of the renderer, and which of them it is.";
        trace_packets "trace_packets": bool = "off", Kind::OnOff, Renderer,
            "Log every packet of the stream, by name and fields, before it is checked and executed.",
            "Thousands of lines a frame, at level debug, from `packets`.";
    }
    "Caches" {
        cache_dir "cache_dir": Option<PathBuf> = "", Kind::Path, Renderer,
            "Where compiled shaders and pipelines are kept.",
            "The default is afterimage in $XDG_CACHE_HOME, else in ~/.cache.";
        cache_mb "cache_mb": u32 = "1024", integer(0, u32::MAX), Renderer,
            "Most MiB of the caches together; what was unused for longest goes first. 0 keeps everything.",
            "";
    }
    "Log and crashes" {
        log "log": String = "warn", Kind::Levels, Everybody,
            "How much is logged: error, warn, info, debug or trace, also by module: info,afterimage_d3d9=debug.",
            "At `info` and above the log starts with the effective configuration.";
        log_file "log_file": Option<PathBuf> = "", Kind::Path, Library,
            "A file to log to, besides standard error; what was in it is kept as NAME.1.",
            "Where nothing is said, `afterimage run`, and a program of a prefix that we are installed in, write afterimage-PROGRAM.log beside the \
             program, from level info on; of programs in /usr and /opt it lies in ~/.local/state/afterimage/log. A file has 16 MiB at most; \
             `/dev/null` is none.";
        crash_report "crash_report": Switch = "auto", Kind::Choice(Switch::WORDS), Library,
            "Write a report when the program or the renderer crashes.",
            "`auto` does so in Windows programs. Natively, programs often have a handler of their own, which goes on to be called.";
        crash_dir "crash_dir": Option<PathBuf> = "", Kind::Path, Library,
            "The folder for reports, which are named afterimage-crash-PROGRAM-PID.txt.",
            "The program's working folder where nothing is said.";
        crash_dump "crash_dump": Switch = "auto", Kind::Choice(Switch::WORDS), Library,
            "Write a minidump beside the report, named likewise with .dmp, which WinDbg, Visual Studio and minidump-stackwalk open.",
            "`auto` does so in Windows programs. It has registers, stacks and what they point to, so passwords may be in it: look at whom you \
             send it to. A program waits ten seconds for it at most.";
    }
}

/// The index of an option in [`OPTIONS`].
#[must_use]
pub fn find(name: &str) -> Option<usize> {
    OPTIONS.iter().position(|row| row.name == name)
}

/// The option whose name is most like one that is none, if any is like it.
#[must_use]
pub fn guess(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let distance = |row: &&Row| strsim::damerau_levenshtein(row.name, &name);
    // A name of the file has some forty characters at most: a longer one is compared with nothing.
    let near = OPTIONS.iter().filter(|_| name.len() <= 64).min_by_key(distance)?;
    (distance(&near) <= (near.name.len() / 3).max(2)).then_some(near.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_allowed() {
        let values = Values::default();
        assert_eq!(values.renderer, Renderer::Auto);
        assert_eq!((values.cache_mb, values.viewer_wait_ms, values.strict_reset), (1024, 5000, true));
        assert_eq!((values.device, values.hud), (None, Vec::new()));
    }

    #[test]
    fn names_are_distinct_and_plain() {
        let mut names: Vec<_> = OPTIONS.iter().map(|row| row.name).collect();
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), OPTIONS.len());
        assert_eq!(OPTIONS[find("async").unwrap()].variable(), "AFTERIMAGE_ASYNC");
    }

    #[test]
    fn a_slip_is_guessed_and_nonsense_is_not() {
        assert_eq!(guess("max_anistropy"), Some("max_anisotropy"));
        assert_eq!(guess("Max-Anisotropy"), Some("max_anisotropy"));
        assert_eq!(guess("hdu"), Some("hud"));
        assert_eq!(guess("quickbrownfox"), None);
    }
}
