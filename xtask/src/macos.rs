//! Programs for macOS, made on Linux: cargo builds the standard library along, zig compiles what is in C, and Rust's own linker links against
//! stubs of Apple's libraries and signs ad hoc.
//!
//! A stub says where a library is on a Mac, and lists the symbols that we call. Sources: Apple's documentation of each framework; of
//! `libSystem` zig brings a list along.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use crate::build::{self, Profile};
use crate::step::{self, Context as _, Failure, Result};
use crate::wheel::{Program, Wheel};
use crate::workspace::Workspace;

/// zig, of which its C compiler and its list of `libSystem` are used.
const ZIG: Program = Program {
    wheel: Wheel {
        name: "ziglang",
        version: "0.17.1",
        sum: "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54",
    },
    what: "zig, which compiles C for macOS",
    path: "ziglang/zig",
};
/// The oldest macOS that is built for.
pub const OLDEST: &str = "11.0";
/// What is built.
const PACKAGES: &[&str] = &["afterimage", "afterimage-viewer", "afterimage-d3d9-com"];
/// What no program has yet, but is for Macs alone: its types are checked.
const CHECKED: &[&str] = &["afterimage-metal-apple"];

/// A kind of Mac.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Apple silicon.
    Arm64,
    /// Intel.
    X86_64,
}

impl Target {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Arm64, Self::X86_64];

    /// Rust's name.
    pub fn triple(self) -> &'static str {
        match self {
            Self::Arm64 => "aarch64-apple-darwin",
            Self::X86_64 => "x86_64-apple-darwin",
        }
    }

    /// Apple's name of the processor.
    pub fn processor(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::X86_64 => "x86_64",
        }
    }

    /// The beginning of a variable of cargo's.
    fn variable(self) -> String {
        format!("CARGO_TARGET_{}", self.triple().to_uppercase().replace('-', "_"))
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let known = Self::ALL.map(Self::triple).join(", ");
        Self::ALL.into_iter().find(|target| target.triple() == text).ok_or_else(|| format!("there are {known}"))
    }
}

/// A library of Apple's.
struct Stub {
    library: Library,
    symbols: &'static [&'static str],
}

/// What a library is.
enum Library {
    /// A framework, whose name says where everything is.
    Framework(&'static str),
    /// Another one.
    Plain {
        /// Its file, below [`SDK`].
        file: &'static str,
        /// Where it is on a Mac.
        place: &'static str,
    },
}

/// The folder of stubs, in that of macOS.
const SDK: &str = "sdk";
/// Symbols of Core Foundation.
const CORE_FOUNDATION: &[&str] = &[
    "_CFAbsoluteTimeGetCurrent",
    "_CFDataGetBytePtr",
    "_CFRelease",
    "_CFRetain",
    "_CFRunLoopAddObserver",
    "_CFRunLoopAddSource",
    "_CFRunLoopAddTimer",
    "_CFRunLoopGetMain",
    "_CFRunLoopObserverCreate",
    "_CFRunLoopPerformBlock",
    "_CFRunLoopSourceCreate",
    "_CFRunLoopSourceSignal",
    "_CFRunLoopTimerCreate",
    "_CFRunLoopTimerInvalidate",
    "_CFRunLoopTimerSetNextFireDate",
    "_CFRunLoopWakeUp",
    "_CFUUIDGetUUIDBytes",
    "_kCFRunLoopCommonModes",
    "_kCFRunLoopDefaultMode",
];
/// Symbols of Core Graphics. Those of `CGS` are in no document; winit has windows blurred by them.
const CORE_GRAPHICS: &[&str] = &[
    "_CGAcquireDisplayFadeReservation",
    "_CGDisplayBounds",
    "_CGDisplayCapture",
    "_CGDisplayCopyDisplayMode",
    "_CGDisplayFade",
    "_CGDisplayModeGetRefreshRate",
    "_CGDisplayModeRelease",
    "_CGDisplayModeRetain",
    "_CGDisplayModelNumber",
    "_CGDisplayPixelsHigh",
    "_CGDisplayPixelsWide",
    "_CGDisplayRelease",
    "_CGDisplaySetDisplayMode",
    "_CGGetActiveDisplayList",
    "_CGMainDisplayID",
    "_CGReleaseDisplayFadeReservation",
    "_CGRestorePermanentDisplayConfiguration",
    "_CGSMainConnectionID",
    "_CGSSetWindowBackgroundBlurRadius",
    "_CGShieldingWindowLevel",
];
/// Symbols of Objective-C's run time.
const OBJECTIVE_C: &[&str] = &[
    "_class_addIvar",
    "_class_addMethod",
    "_class_addProtocol",
    "_class_getClassMethod",
    "_class_getInstanceMethod",
    "_class_getInstanceVariable",
    "_class_getName",
    "_class_getSuperclass",
    "_class_isMetaClass",
    "_ivar_getOffset",
    "_method_getImplementation",
    "_method_getName",
    "_method_getTypeEncoding",
    "_method_setImplementation",
    "_objc_alloc",
    "_objc_allocateClassPair",
    "_objc_autoreleasePoolPop",
    "_objc_autoreleasePoolPush",
    "_objc_autoreleaseReturnValue",
    "_objc_destroyWeak",
    "_objc_disposeClassPair",
    "_objc_getClass",
    "_objc_getProtocol",
    "_objc_initWeak",
    "_objc_loadWeakRetained",
    "_objc_msgSend",
    "_objc_msgSendSuper",
    // On Macs by Intel alone.
    "_objc_msgSend_stret",
    "_objc_registerClassPair",
    "_objc_release",
    "_objc_retain",
    "_objc_retainAutoreleasedReturnValue",
    "_object_getClass",
    "_protocol_copyMethodDescriptionList",
    "_protocol_getName",
    "_sel_getName",
    "_sel_registerName",
];

/// All of them but `libSystem`.
const STUBS: &[Stub] = &[
    Stub {
        library: Library::Plain { file: "usr/lib/libobjc.tbd", place: "/usr/lib/libobjc.A.dylib" },
        symbols: OBJECTIVE_C,
    },
    // Rust's library names it, and calls nothing of it.
    Stub { library: Library::Plain { file: "usr/lib/libiconv.tbd", place: "/usr/lib/libiconv.2.dylib" }, symbols: &[] },
    framework(
        "AppKit",
        &[
            "_NSAppKitVersionNumber",
            "_NSAppearanceNameAqua",
            "_NSDeviceRGBColorSpace",
            "_NSFilenamesPboardType",
            "_NSViewFrameDidChangeNotification",
        ],
    ),
    // Its part ColorSync has these.
    framework("ApplicationServices", &["_CGDisplayCreateUUIDFromDisplayID", "_CGDisplayGetDisplayIDFromUUID"]),
    framework(
        "Carbon",
        &[
            "_LMGetKbdType",
            "_TISCopyCurrentKeyboardLayoutInputSource",
            "_TISGetInputSourceProperty",
            "_UCKeyTranslate",
            "_kTISPropertyUnicodeKeyLayoutData",
        ],
    ),
    framework("CoreFoundation", CORE_FOUNDATION),
    framework("CoreGraphics", CORE_GRAPHICS),
    framework(
        "CoreVideo",
        &[
            "_CVDisplayLinkCreateWithCGDisplay",
            "_CVDisplayLinkGetNominalOutputVideoRefreshPeriod",
            "_CVDisplayLinkRelease",
        ],
    ),
    framework("Foundation", &["_NSKeyValueChangeNewKey", "_NSKeyValueChangeOldKey"]),
    framework(
        "Metal",
        &["_MTLCommandBufferEncoderInfoErrorKey", "_MTLCopyAllDevices", "_MTLCreateSystemDefaultDevice"],
    ),
    framework("QuartzCore", &[]),
];

const fn framework(name: &'static str, symbols: &'static [&'static str]) -> Stub {
    Stub { library: Library::Framework(name), symbols }
}

impl Stub {
    /// Its file, below [`SDK`].
    fn file(&self) -> PathBuf {
        match self.library {
            Library::Framework(name) => format!("System/Library/Frameworks/{name}.framework/{name}.tbd").into(),
            Library::Plain { file, .. } => file.into(),
        }
    }

    /// What the linker reads.
    fn text(&self) -> String {
        const TARGETS: &str = "[ x86_64-macos, arm64-macos ]";
        let place = match self.library {
            Library::Framework(name) => format!("/System/Library/Frameworks/{name}.framework/Versions/A/{name}"),
            Library::Plain { place, .. } => place.to_owned(),
        };
        let mut text = format!("--- !tapi-tbd\ntbd-version: 4\ntargets: {TARGETS}\ninstall-name: '{place}'\n");
        if !self.symbols.is_empty() {
            let symbols = self.symbols.join(", ");
            let _ = writeln!(text, "exports:\n  - targets: {TARGETS}\n    symbols: [ {symbols} ]");
        }
        text + "...\n"
    }
}

/// zig's list of `libSystem`, in words that the linker knows: it has a newer name of Apple's processors.
fn system(list: &str) -> String {
    list.replace("arm64e.x1-", "arm64-")
}

/// What is built for a Mac.
pub struct Built {
    /// The command line program.
    pub afterimage: PathBuf,
    /// The viewer.
    pub viewer: PathBuf,
    /// Direct3D 9 for native programs.
    pub library: PathBuf,
}

/// Checks the types of everything that is built for Macs. Why that cannot be done here, where zig cannot be had.
///
/// # Errors
/// When something does not compile.
pub fn check(ws: &Workspace) -> Result<Option<String>> {
    if let Err(failure) = ZIG.get(ws) {
        return Ok(Some(failure.summary()));
    }
    let mut cargo = cargo(ws, Target::Arm64, "check")?;
    cargo.args(CHECKED.iter().flat_map(|package| ["-p", package]));
    step::run(ws, &mut cargo, "checking what is for macOS", "").map(|_| None)
}

/// Builds and links the programs and the library for a kind of Mac.
///
/// # Errors
/// When something does not compile, needs a symbol that no stub has, or is not signed afterwards.
pub fn build(ws: &Workspace, target: Target, profile: Profile) -> Result<Built> {
    let mut cargo = cargo(ws, target, "build")?;
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            // Nobody has tried what link-time optimisation over crates makes of a standard library that is built along.
            cargo.args([
                "--release",
                "--config",
                "profile.release.lto=false",
                "--config",
                "profile.release.debug=false",
            ]);
            cargo.args([
                "--config",
                "profile.release.codegen-units=16",
                "--config",
                "profile.release.strip=\"symbols\"",
            ]);
            "release"
        }
    };
    let what = format!("building for macOS ({}, {folder})", target.processor());
    step::run(ws, &mut cargo, &what, "a symbol that is missing goes into a stub of xtask/src/macos.rs")?;
    let folder = self::folder(ws).join(target.triple()).join(folder);
    let built = Built {
        afterimage: folder.join("afterimage"),
        viewer: folder.join("afterimage-viewer"),
        library: folder.join("libd3d9.dylib"),
    };
    for file in [&built.afterimage, &built.viewer, &built.library] {
        let bytes = std::fs::read(file).doing(format!("reading {}", file.display()))?;
        if !is_signed(&bytes) {
            return Err(Failure::new(what, format!("{} is no signed Mach-O file", file.display())));
        }
    }
    Ok(built)
}

/// Whether a file is Mach-O of 64 bit with a signature: no Mac with Apple's processors runs another. Source: `mach-o/loader.h`.
fn is_signed(file: &[u8]) -> bool {
    const MAGIC: u32 = 0xfeed_facf;
    const HEADER: usize = 32;
    const CODE_SIGNATURE: u32 = 0x1d;
    let word = |at: usize| file.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let mut at = HEADER;
    let commands = if word(0) == Some(MAGIC) { word(16).unwrap_or(0) } else { 0 };
    (0..commands)
        .map_while(|_| {
            let (command, size) = (word(at)?, word(at + 4)?);
            at += size as usize;
            Some(command)
        })
        .any(|command| command == CODE_SIGNATURE)
}

/// The folder of everything for macOS.
fn folder(ws: &Workspace) -> PathBuf {
    ws.target.join("macos")
}

/// cargo, with all that it needs for a kind of Mac.
fn cargo(ws: &Workspace, target: Target, word: &str) -> Result<Command> {
    let zig = ZIG.get(ws)?;
    let folder = folder(ws);
    let what = format!("making {}", folder.display());
    let sdk = folder.join(SDK);
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap_or(path)).doing(&what)?;
        std::fs::write(path, text).doing(format!("writing {}", path.display()))
    };
    for stub in STUBS {
        write(&sdk.join(stub.file()), &stub.text())?;
    }
    let list = zig.with_file_name("lib/libc/darwin/libSystem.tbd");
    let list = system(&std::fs::read_to_string(&list).doing(format!("reading {}", list.display()))?);
    // The parts that Unix programs link by other names.
    for name in ["libSystem", "libc", "libm"] {
        write(&sdk.join(format!("usr/lib/{name}.tbd")), &list)?;
    }
    let (compiler, archiver) = (folder.join(format!("cc-{}", target.processor())), folder.join("ar"));
    let called = format!("{}-macos.{OLDEST}", target.triple().split('-').next().unwrap_or_default());
    write(&compiler, &COMPILER.replace("ZIG", &zig.to_string_lossy()).replace("TARGET", &called))?;
    write(&archiver, &ARCHIVER.replace("ZIG", &zig.to_string_lossy()))?;
    for script in [&compiler, &archiver] {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).doing(&what)?;
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = step::output(Command::new(rustc).args(["--print", "sysroot"]), "asking the compiler for its folder")?;
    let host = if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-gnu" } else { "x86_64-unknown-linux-gnu" };
    let linker = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/rust-lld");
    let mut flags = build::path_flags(ws)?;
    flags.extend(["-Clinker-flavor=darwin-lld", "-Zunstable-options", "-Clink-arg=-adhoc_codesign"].map(str::to_owned));
    if word == "check" {
        // The standard library would be compiled: of what has types, only these are wanted.
        flags.push("-Zcodegen-backend=dummy".to_owned());
    }

    let mut cargo = build::cargo(ws);
    cargo.args([word, "--target", target.triple(), "-Zbuild-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
    cargo.args(PACKAGES.iter().flat_map(|package| ["-p", package])).arg("--target-dir").arg(&folder);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).env(format!("{}_LINKER", target.variable()), linker);
    let underlined = target.triple().replace('-', "_");
    cargo.env(format!("CC_{underlined}"), compiler).env(format!("AR_{underlined}"), archiver);
    cargo.env("SDKROOT", sdk).env("MACOSX_DEPLOYMENT_TARGET", OLDEST);
    cargo.env("ZIG_GLOBAL_CACHE_DIR", folder.join("zig")).env("ZIG_LOCAL_CACHE_DIR", folder.join("zig"));
    Ok(cargo)
}

/// Calls zig with clang's words for a target left out.
const COMPILER: &str = r#"#!/bin/sh
skip=
for word in "$@"; do
    shift
    if [ -n "$skip" ]; then skip=; continue; fi
    case "$word" in
        -arch) skip=1 ;;
        --target=*|-mmacosx-version-min=*) ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec ZIG cc -target TARGET "$@"
"#;
const ARCHIVER: &str = "#!/bin/sh\nexec ZIG ar \"$@\"\n";

#[cfg(test)]
mod tests {
    use super::{STUBS, Target, is_signed};

    #[test]
    fn a_stub_says_where_it_is_and_what_is_in_it() {
        let file = std::path::Path::new("System/Library/Frameworks/Carbon.framework/Carbon.tbd");
        let carbon = STUBS.iter().find(|stub| stub.file() == file).unwrap();
        let text = carbon.text();
        assert!(
            text.contains("install-name: '/System/Library/Frameworks/Carbon.framework/Versions/A/Carbon'"),
            "{text}"
        );
        assert!(text.contains("symbols: [ _LMGetKbdType, "), "{text}");
        for stub in STUBS {
            assert!(
                stub.symbols.is_sorted() && stub.symbols.iter().all(|symbol| symbol.starts_with('_')),
                "{}",
                stub.file().display()
            );
        }
    }

    #[test]
    fn only_signed_files_are_taken() {
        let file = |commands: &[u32]| {
            let mut words = vec![0xfeed_facf, 0, 0, 0, commands.len() as u32, 0, 0, 0];
            words.extend(commands.iter().flat_map(|command| [*command, 12, 0]));
            words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect::<Vec<u8>>()
        };
        assert!(is_signed(&file(&[0x19, 0x1d])));
        assert!(!is_signed(&file(&[0x19, 2])));
        assert!(!is_signed(&file(&[0x19, 0x1d])[..40]));
        assert!(!is_signed(b"\x7fELF"));
    }

    #[test]
    fn targets_have_rust_s_names() {
        assert_eq!("aarch64-apple-darwin".parse(), Ok(Target::Arm64));
        assert_eq!("arm64".parse::<Target>().unwrap_err(), "there are aarch64-apple-darwin, x86_64-apple-darwin");
    }
}
