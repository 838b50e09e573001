//! `cargo xtask setup`: what a machine needs, as a table of steps, each with a check that takes no time and a way to get it.

pub mod apt;
mod consent;
pub mod rust_target;
pub mod wine32;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::step::{self, Failure, Progress, Result};
use crate::workspace::Workspace;

/// Arguments of `setup`.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// Only what the native half needs: no Wine, no mingw, no Windows target.
    #[arg(long)]
    pub native_only: bool,
    /// Say what is missing and how it would be installed, and change nothing.
    #[arg(long)]
    pub check: bool,
    /// Install without asking. `CI=true` in the environment does the same.
    #[arg(long, short)]
    pub yes: bool,
}

impl Args {
    /// For the native half alone: no Wine, no mingw, no Windows target.
    #[must_use]
    pub fn native() -> Self {
        Self { native_only: true, ..Self::default() }
    }
}

/// What cannot be done without a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Nothing draws without it: a failure ends the command.
    Native,
    /// Only checks, and the windows of natively built programs, are lost.
    Checks,
    /// Nothing can be built for Windows.
    Build,
    /// No Windows program can be run.
    Windows,
    /// Only 32-bit Windows programs are lost.
    Windows32,
}

/// How a step is done.
enum How {
    /// Debian packages, from backports where that is wanted and possible.
    Packages { names: &'static [&'static str], backports: bool },
    /// A function of ours, which puts so much into the cache folder; the text is what to tell a user who has to do it by hand.
    Ours { run: fn(&Workspace, &Progress) -> Result, by_hand: &'static str, needs_root: bool, size: &'static str },
}

/// One row of the table.
struct Step {
    what: &'static str,
    need: Need,
    /// Whether there is nothing to do.
    done: fn(&Workspace) -> bool,
    how: How,
}

/// Everything a machine needs beside cargo and a C compiler.
///
/// Wine stands before what comes from backports: the libraries from there may be newer than its packages allow.
const STEPS: &[Step] = &[
    Step {
        what: "Wine, 64 bit",
        need: Need::Windows,
        done: |_| step::on_path("wine"),
        how: How::Packages { names: &["wine", "wine64"], backports: false },
    },
    Step {
        what: "X11 libraries that Wine loads",
        need: Need::Checks,
        done: |_| WINE_LIBRARIES.iter().all(|name| any_library(name)),
        how: How::Packages { names: wine32::WINDOW_PACKAGES, backports: false },
    },
    Step {
        what: "Vulkan loader",
        need: Need::Native,
        done: |_| any_library("libvulkan.so.1"),
        how: How::Packages { names: &["libvulkan1"], backports: false },
    },
    Step {
        what: "Vulkan driver (Mesa's lavapipe draws on the CPU)",
        need: Need::Native,
        done: |_| has_vulkan_driver(),
        how: How::Packages { names: &["mesa-vulkan-drivers"], backports: true },
    },
    Step {
        what: "C++ compiler",
        need: Need::Native,
        done: |_| step::on_path("g++"),
        how: How::Packages { names: &["g++"], backports: false },
    },
    Step {
        what: "X11 libraries for windows of our own",
        need: Need::Checks,
        done: |_| WINDOW_LIBRARIES.iter().all(|name| any_library(name)),
        how: How::Packages {
            names: &["libx11-6", "libx11-xcb1", "libxcursor1", "libxi6", "libxkbcommon-x11-0"],
            backports: false,
        },
    },
    Step {
        what: "SDL 2, which opens the windows of native samples",
        need: Need::Checks,
        done: |_| any_library("libSDL2-2.0.so.0"),
        how: How::Packages { names: &["libsdl2-2.0-0"], backports: false },
    },
    Step {
        what: "Vulkan validation layers",
        need: Need::Checks,
        done: |_| vulkan_data("explicit_layer.d").iter().any(|path| path.ends_with("VkLayer_khronos_validation.json")),
        how: How::Packages { names: &["vulkan-validationlayers"], backports: true },
    },
    Step {
        what: "Vulkan's headers, for the programs in C of the tests",
        need: Need::Checks,
        done: |_| Path::new("/usr/include/vulkan/vulkan.h").is_file() && any_library("libvulkan.so"),
        how: How::Packages { names: &["libvulkan-dev"], backports: false },
    },
    Step {
        what: "SPIR-V tools",
        need: Need::Checks,
        done: |_| step::on_path("spirv-val"),
        how: How::Packages { names: &["spirv-tools"], backports: true },
    },
    Step {
        what: "SPIRV-Cross, which MoltenVK makes Metal's language with",
        need: Need::Checks,
        done: |_| step::on_path("spirv-cross"),
        how: How::Packages { names: &["spirv-cross"], backports: false },
    },
    Step {
        what: "glslang, which makes SPIR-V of other people's shaders",
        need: Need::Checks,
        done: |_| step::on_path("glslangValidator"),
        how: How::Packages { names: &["glslang-tools"], backports: false },
    },
    Step {
        what: "clang, which the tests compile and run Metal shaders with",
        need: Need::Checks,
        done: |_| step::on_path("clang++-14") || step::on_path("clang++"),
        how: How::Packages { names: &["clang-14"], backports: false },
    },
    Step {
        what: "Chromium, in which the tests look at reports",
        need: Need::Checks,
        done: |_| ["chromium", "chromium-browser", "google-chrome"].iter().any(|name| step::on_path(name)),
        how: How::Packages { names: &["chromium"], backports: false },
    },
    Step {
        what: "what packs a release, and a bare Debian to try it in",
        need: Need::Checks,
        done: |_| ["zstd", "dpkg-shlibdeps", "mmdebstrap"].iter().all(|name| step::on_path(name)),
        how: How::Packages { names: &["zstd", "dpkg-dev", "mmdebstrap"], backports: false },
    },
    Step {
        what: "pip, which fetches engines for tests, and tools",
        need: Need::Checks,
        done: |_| step::on_path("pip3"),
        how: How::Packages { names: &["python3-pip"], backports: false },
    },
    Step {
        what: "mingw, 64 bit",
        need: Need::Build,
        done: |_| step::on_path("x86_64-w64-mingw32-g++") && step::on_path("x86_64-w64-mingw32-gcc"),
        how: How::Packages { names: &["gcc-mingw-w64-x86-64", "g++-mingw-w64-x86-64"], backports: false },
    },
    Step {
        what: "mingw, 32 bit",
        need: Need::Build,
        done: |_| step::on_path("i686-w64-mingw32-g++") && step::on_path("i686-w64-mingw32-gcc"),
        how: How::Packages { names: &["gcc-mingw-w64-i686", "g++-mingw-w64-i686"], backports: false },
    },
    Step {
        what: "X server without a screen (Xvfb)",
        need: Need::Windows,
        done: |_| step::on_path("Xvfb"),
        how: How::Packages { names: &["xvfb", "xauth"], backports: false },
    },
    Step {
        what: "Wine's fonts, which its tests of D3DX measure",
        need: Need::Checks,
        done: |_| Path::new("/usr/share/wine/fonts/tahoma.ttf").is_file(),
        how: How::Packages { names: &["fonts-wine"], backports: false },
    },
    Step {
        what: "Rust's Windows targets (library source)",
        need: Need::Build,
        done: rust_target::done,
        how: How::Ours {
            run: rust_target::install,
            by_hand: "rustup component add rust-src",
            needs_root: false,
            size: "430 MB",
        },
    },
    Step {
        what: "Wine, 32 bit",
        need: Need::Windows32,
        done: wine32::done,
        how: How::Ours {
            run: wine32::install,
            by_hand: "dpkg --add-architecture i386 && apt-get update && apt-get install --no-install-recommends wine32:i386",
            needs_root: true,
            size: "730 MB",
        },
    },
];

/// What winit loads at run time for a window.
const WINDOW_LIBRARIES: &[&str] =
    &["libX11.so.6", "libX11-xcb.so.1", "libXcursor.so.1", "libXi.so.6", "libxkbcommon-x11.so.0"];

/// What Wine loads at run time for display modes, cursors and windows: the files of [`wine32::WINDOW_PACKAGES`].
const WINE_LIBRARIES: &[&str] =
    &["libXrandr.so.2", "libXcursor.so.1", "libXi.so.6", "libXcomposite.so.1", "libXinerama.so.1"];

/// A step that could not be done, and what is lost by it.
#[derive(Debug, Clone)]
pub struct Missing {
    /// What is missing.
    pub what: &'static str,
    /// What cannot be done without it.
    need: Need,
    /// Why it could not be had.
    pub why: String,
}

/// What the machine can do after the set-up.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// What is missing.
    pub missing: Vec<Missing>,
}

impl Machine {
    /// Why nothing can be built for Windows, if so.
    pub fn no_windows_build(&self) -> Option<String> {
        self.lost(&[Need::Build])
    }

    /// Why no Windows program can be built and run, if so.
    pub fn no_windows(&self) -> Option<String> {
        self.lost(&[Need::Build, Need::Windows])
    }

    /// Why no 32-bit Windows program can be run, if so. They may still be built.
    pub fn no_windows32(&self) -> Option<String> {
        self.lost(&[Need::Build, Need::Windows, Need::Windows32])
    }

    fn lost(&self, needs: &[Need]) -> Option<String> {
        self.missing.iter().find(|m| needs.contains(&m.need)).map(|m| format!("no {}: {}", m.what, m.why))
    }
}

/// The command itself.
///
/// # Errors
/// When something is missing that nothing works without.
pub fn main(ws: &Workspace, args: &Args) -> Result {
    let start = Instant::now();
    let machine = ensure(ws, args)?;
    let lost = machine.missing.len();
    eprintln!(
        "set-up: {} of {} steps in place ({:.1} s)",
        STEPS.len() - lost,
        STEPS.len(),
        start.elapsed().as_secs_f32()
    );
    Ok(())
}

/// Does every step that is not done yet.
///
/// # Errors
/// When something is missing that nothing works without. All else is reported in [`Machine::missing`].
pub fn ensure(ws: &Workspace, args: &Args) -> Result<Machine> {
    plan(ws, args)?.carry_out(ws)
}

/// What is to be installed, and whether it may be.
pub struct Plan {
    todo: Vec<&'static Step>,
    native_only: bool,
    /// Nothing is to be changed.
    check: bool,
    can_install: bool,
}

/// Finds out which steps are not done yet, and asks whether they may be.
///
/// # Errors
/// When the terminal cannot be read.
pub fn plan(ws: &Workspace, args: &Args) -> Result<Plan> {
    let &Args { native_only, check, yes } = args;
    let wanted = |step: &&Step| !native_only || matches!(step.need, Need::Native | Need::Checks);
    let todo: Vec<&Step> = STEPS.iter().filter(wanted).filter(|step| !(step.done)(ws)).collect();
    let mut can_install = apt::available() && apt::is_root();
    if todo.is_empty() {
        return Ok(Plan { todo, native_only, check, can_install });
    }
    if can_install && !check {
        can_install = consent::asked(ws, &todo, yes)?;
    }
    if check || !can_install {
        explain(&todo, check);
    }
    Ok(Plan { todo, native_only, check, can_install })
}

impl Plan {
    /// The plan up to the last step that nothing works without, and the rest.
    #[must_use]
    pub fn split(mut self) -> (Self, Self) {
        let native = self.todo.iter().rposition(|step| step.need == Need::Native);
        let rest = self.todo.split_off(native.map_or(0, |last| last + 1));
        let rest = Self { todo: rest, ..self };
        (Self { native_only: false, ..self }, rest)
    }

    /// Does the steps. Cargo may build meanwhile: that needs none of them.
    ///
    /// # Errors
    /// When something is missing that nothing works without. All else is reported in [`Machine::missing`].
    pub fn carry_out(self, ws: &Workspace) -> Result<Machine> {
        let mut machine = Machine::default();
        if self.native_only {
            machine.missing.push(Missing { what: "Windows half", need: Need::Build, why: "--native-only".to_owned() });
        }
        for step in self.todo {
            let result = if self.check {
                Err(Failure::new(step.what, "not installed"))
            } else {
                perform(ws, step, self.can_install)
            };
            if let Err(failure) = result {
                if step.need == Need::Native && !self.check {
                    return Err(failure);
                }
                if !self.check && self.can_install {
                    eprintln!("{failure}  going on without it");
                }
                machine.missing.push(Missing { what: step.what, need: step.need, why: failure.summary() });
            }
        }
        Ok(machine)
    }
}

/// What the machine can do as it is; changes and says nothing. For who runs after [`ensure`].
pub fn found(ws: &Workspace) -> Machine {
    let missing = STEPS.iter().filter(|step| !(step.done)(ws));
    let missing = missing.map(|step| Missing { what: step.what, need: step.need, why: "not installed".to_owned() });
    Machine { missing: missing.collect() }
}

fn perform(ws: &Workspace, step: &Step, can_install: bool) -> Result {
    let denied = || Failure::new(step.what, "not installed").advise("run the commands above as root, then this again");
    let progress = Progress::start(format!("installing {}", step.what));
    let result = match &step.how {
        How::Packages { names, backports } if can_install => apt::install(ws, names, *backports, &progress),
        How::Ours { run, needs_root, .. } if can_install || !needs_root => run(ws, &progress),
        How::Packages { .. } | How::Ours { .. } => Err(denied()),
    };
    let result = result.and_then(|()| {
        let still =
            || Failure::new(step.what, "installed, but still not found").advise("run `cargo xtask setup --check`");
        (step.done)(ws).then_some(()).ok_or_else(still)
    });
    progress.finish(&result);
    result
}

/// Prints the commands for whoever has to type them.
fn explain(todo: &[&Step], only_asked: bool) {
    let names = |wanted: bool| {
        let packages = todo.iter().filter_map(move |step| match step.how {
            How::Packages { names, backports } if backports == wanted => Some(names),
            _ => None,
        });
        packages.flatten().copied().collect::<Vec<_>>().join(" ")
    };
    eprintln!("missing: {}", todo.iter().map(|step| step.what).collect::<Vec<_>>().join("; "));
    eprintln!("{}", if only_asked { "`cargo xtask setup` as root does:" } else { "as root on Debian:" });
    if !names(false).is_empty() {
        eprintln!("  apt-get update && apt-get install --no-install-recommends {}", names(false));
    }
    if !names(true).is_empty() {
        eprintln!("  apt-get install --no-install-recommends {}{}", apt::backports_option(), names(true));
    }
    for step in todo {
        if let How::Ours { by_hand, .. } = step.how {
            eprintln!("  {by_hand}");
        }
    }
}

/// Whether the dynamic linker's folders have a library of this name.
fn any_library(name: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/lib",
    ];
    FOLDERS.iter().any(|dir| Path::new(dir).join(name).exists())
}

/// The manifests in one of the Vulkan loader's folders.
fn vulkan_data(kind: &str) -> Vec<PathBuf> {
    const ROOTS: &[&str] =
        &["/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan", "/usr/local/nvidia/share/vulkan"];
    let folders = ROOTS.iter().map(|root| Path::new(root).join(kind));
    let files = folders.filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|ext| ext == "json")).collect()
}

fn has_vulkan_driver() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().filter_map(std::env::var_os);
    named.into_iter().any(|list| std::env::split_paths(&list).any(|path| path.is_file()))
        || !vulkan_data("icd.d").is_empty()
}
