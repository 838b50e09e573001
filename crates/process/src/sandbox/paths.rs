//! The table of paths that a renderer process may reach, besides what it is for: what the loader, layers, drivers and the C library
//! read, and the devices.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What may be done with a path, and with all that lies in it where it is a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read files, list folders.
    Read,
    /// The same, and in the folders of libraries that are named in there: manifests of Vulkan.
    Manifests,
    /// Read and write what is there, and send it commands (ioctl): devices.
    Device,
    /// Read, write, make, rename and remove files and folders.
    Write,
    /// Connect to the sockets in there (kernels before Landlock ABI 9 do not ask).
    Connect,
}

impl Right {
    /// As the documentation says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Manifests => "read, also folders of libraries that are named in there",
            Self::Device => "read, write, ioctl",
            Self::Write => "read, write, make, remove",
            Self::Connect => "connect",
        }
    }
}

/// When a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In every renderer process.
    Always,
    /// Where [`Access::display`](super::Access::display) says that there are windows.
    Display,
}

impl When {
    /// As the documentation says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Display => "windows",
        }
    }
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Where: `~` is the home folder, `$NAME` each folder or file that this variable lists (or its default in [`DEFAULTS`]), `*` at the end whatever
    /// else is in a name.
    pub pattern: &'static str,
    /// What may be done there.
    pub right: Right,
    /// When.
    pub when: When,
    /// Who needs it.
    pub reason: &'static str,
}

macro_rules! paths {
    ($( $right:ident $when:ident $( $pattern:literal )+ : $reason:literal; )*) => {
        /// The paths.
        pub const PATHS: &[Row] = &[$( $( Row {
            pattern: $pattern,
            right: Right::$right,
            when: When::$when,
            reason: $reason,
        }, )+ )*];
    };
}

paths! {
    Read Always "/usr/lib" "/usr/lib32" "/usr/lib64" "/usr/libexec" "/usr/local/lib" "/lib" "/lib32" "/lib64" "/nix/store" "/run/opengl-driver" "/app/lib":
        "libraries: the loader, layers, drivers, the C library with its locales";
    Read Always "$LD_LIBRARY_PATH": "libraries in places of the user's choice";
    Read Always "/etc/ld.so.cache" "/etc/ld.so.preload": "how the dynamic linker finds libraries";
    Read Always "/usr/local/nvidia" "/usr/share/nvidia" "/etc/nvidia": "NVIDIA's driver: libraries and application profiles";
    Manifests Always "/usr/share/vulkan" "/usr/local/share/vulkan" "/etc/vulkan" "/etc/xdg/vulkan" "$XDG_DATA_HOME/vulkan" "$XDG_CONFIG_HOME/vulkan"
        "$XDG_DATA_DIRS/vulkan" "$XDG_CONFIG_DIRS/vulkan":
        "manifests of drivers and layers, settings of layers";
    Manifests Always "/usr/share/glvnd" "/etc/glvnd" "/usr/share/egl" "/etc/egl" "$__EGL_VENDOR_LIBRARY_FILENAMES" "$__EGL_VENDOR_LIBRARY_DIRS":
        "manifests of EGL, by which NVIDIA's driver finds itself where there is no display";
    Manifests Always "$VK_DRIVER_FILES" "$VK_ICD_FILENAMES" "$VK_ADD_DRIVER_FILES" "$VK_LAYER_PATH" "$VK_ADD_LAYER_PATH" "$VK_LAYER_SETTINGS_PATH":
        "the same, in places of the user's choice";
    Read Always "/usr/share/drirc.d" "/etc/drirc" "~/.drirc" "/usr/share/libdrm": "Mesa's settings for applications and names of devices";
    Read Always "~/.nv" "$XDG_DATA_HOME/nvidia": "NVIDIA's settings for applications";
    Read Always "/etc/localtime" "/etc/timezone" "/usr/share/zoneinfo" "/usr/share/locale" "/usr/share/i18n" "/etc/locale.alias": "time zone and language";
    Read Always "/proc/self": "the process looks at itself: its maps, threads, open files";
    Read Always "/proc/cpuinfo" "/proc/meminfo" "/proc/stat" "/proc/filesystems" "/proc/modules" "/proc/devices" "/proc/driver/nvidia"
        "/proc/sys/kernel/modprobe" "/proc/sys/vm/overcommit_memory":
        "what processor, memory and drivers there are";
    Read Always "/sys/devices" "/sys/class/drm" "/sys/dev/char" "/sys/bus/pci" "/sys/module/nvidia" "/sys/module/nvidia_drm" "/sys/module/nvidia_uvm" "/sys/fs/cgroup":
        "what devices there are, and how many processors";
    Device Always "/dev/dri": "GPUs with drivers of Mesa, and NVIDIA's through DRM";
    Device Always "/dev/nvidia*": "GPUs with NVIDIA's driver";
    Device Always "/dev/kfd" "/dev/udmabuf" "/dev/dma_heap" "/dev/dxg": "memory of AMD's compute driver, of memory shared between devices, GPUs under WSL";
    Device Always "/dev/null" "/dev/zero" "/dev/full" "/dev/random" "/dev/urandom": "devices that are no hardware";
    Connect Display "/tmp/.X11-unix" "$XDG_RUNTIME_DIR/wayland*": "the display";
    Read Display "$XAUTHORITY" "~/.Xauthority" "/usr/share/X11" "/etc/X11": "the display's password, keyboards";
}

/// What a variable lists where it is not set (XDG Base Directory Specification).
pub const DEFAULTS: &[(&str, &str)] = &[
    ("XDG_DATA_HOME", "~/.local/share"),
    ("XDG_CONFIG_HOME", "~/.config"),
    ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
    ("XDG_CONFIG_DIRS", "/etc/xdg"),
];

/// The paths that a pattern stands for; those that are not there may be among them.
pub(crate) fn expand(pattern: &str, variable: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let under = |root: &Path, rest: &str| if rest.is_empty() { root.to_owned() } else { root.join(rest) };
    let (roots, rest): (Vec<PathBuf>, &str) = if let Some(rest) = pattern.strip_prefix('$') {
        let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let roots = match set(name) {
            Some(list) => std::env::split_paths(&list).collect(),
            None => DEFAULTS
                .iter()
                .filter(|(of, _)| *of == name)
                .flat_map(|(_, list)| list.split(':'))
                .flat_map(|default| expand(default, variable))
                .collect(),
        };
        (roots, rest)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        (set("HOME").map(PathBuf::from).into_iter().collect(), rest)
    } else {
        (vec![PathBuf::from("/")], pattern.trim_start_matches('/'))
    };
    // A relative entry would mean whatever folder the program was started in.
    let paths = roots.iter().filter(|root| root.is_absolute()).map(|root| under(root, rest));
    paths.flat_map(|path| if rest.ends_with('*') { likes(&path) } else { vec![path] }).collect()
}

/// What is in a folder whose names begin as this path's does, up to its `*`.
fn likes(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let start = name.as_bytes().strip_suffix(b"*").unwrap_or(name.as_bytes());
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.flatten().filter(|entry| entry.file_name().as_bytes().starts_with(start));
    entries.map(|entry| entry.path()).collect()
}

/// The folders of libraries that the manifests among these files and folders name by paths of their own.
pub(crate) fn libraries_of(manifests: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in manifests {
        if path.is_dir() {
            // `vulkan` has `icd.d`, `implicit_layer.d` and such; a folder of layers has the manifests themselves.
            let inside =
                |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            for entry in inside(path) {
                if entry.is_dir() { files.extend(inside(&entry)) } else { files.push(entry) }
            }
        } else {
            files.push(path.clone());
        }
    }
    let json = |path: &&PathBuf| path.extension() == Some(OsStr::new("json"));
    let mut folders: Vec<PathBuf> = files.iter().filter(json).filter_map(|file| library_folder(file)).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The folder of the library that a manifest names; `None` where it leaves the finding of it to the dynamic linker.
fn library_folder(manifest: &Path) -> Option<PathBuf> {
    /// Manifests have some hundred bytes, those of layers with many settings some ten thousand.
    const MOST: u64 = 1 << 20;
    let size = manifest.metadata().ok().filter(|data| data.is_file())?.len();
    let text = (size <= MOST).then(|| std::fs::read_to_string(manifest).ok())??;
    let (_, rest) = text.split_once("\"library_path\"")?;
    let named = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split('"').next()?;
    if !named.contains('/') {
        return None;
    }
    let library = manifest.parent()?.join(named);
    Some(library.canonicalize().ok()?.parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn surroundings(name: &str) -> Option<OsString> {
        match name {
            "HOME" => Some("/home/a".into()),
            "XDG_CONFIG_HOME" => Some("/c".into()),
            "XDG_CONFIG_DIRS" => Some("".into()),
            "LD_LIBRARY_PATH" => Some("/l:relative::/m".into()),
            _ => None,
        }
    }

    #[test]
    fn patterns_stand_for_paths() {
        let expand = |pattern| expand(pattern, &surroundings);
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(expand("/usr/lib"), paths(&["/usr/lib"]));
        assert_eq!(expand("~/.drirc"), paths(&["/home/a/.drirc"]));
        assert_eq!(expand("$XDG_CONFIG_HOME/vulkan"), paths(&["/c/vulkan"]));
        assert_eq!(expand("$XDG_DATA_HOME/vulkan"), paths(&["/home/a/.local/share/vulkan"]));
        assert_eq!(expand("$XDG_DATA_DIRS/vulkan"), paths(&["/usr/local/share/vulkan", "/usr/share/vulkan"]));
        assert_eq!(expand("$XDG_CONFIG_DIRS/vulkan"), paths(&["/etc/xdg/vulkan"]), "empty is not set");
        assert_eq!(expand("$LD_LIBRARY_PATH"), paths(&["/l", "/m"]), "relative entries are nobody's");
        assert_eq!(expand("$XAUTHORITY"), paths(&[]));
        assert_eq!(super::expand("~/x", &|_| None), paths(&[]), "without a home there is nothing in it");
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_name() {
        let found = expand("/dev/nul*", &surroundings);
        assert!(found.contains(&"/dev/null".into()), "{found:?}");
        assert!(!expand("/dev/null*", &surroundings).contains(&"/dev/zero".into()));
        assert!(expand("/no/such/folder*", &surroundings).is_empty());
    }

    #[test]
    fn manifests_name_their_libraries() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for folder in ["icd.d", "driver", "layers"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("driver/libx.so"), "").unwrap();
        let manifest = |path: &str, library: &str| {
            std::fs::write(root.join(path), format!("{{ \"ICD\": {{ \"library_path\" : \"{library}\" }} }}")).unwrap();
        };
        manifest("icd.d/a.json", "../driver/libx.so");
        manifest("layers/b.json", "libfound_by_the_linker.so");
        manifest("layers/c.json", root.join("driver/libx.so").to_str().unwrap());
        manifest("layers/d.json", "../gone/libx.so");
        manifest("layers/e.txt", "/usr/lib/x.so");
        std::fs::write(root.join("layers/f.json"), "{\"library_path\": 3").unwrap();
        assert_eq!(libraries_of(std::slice::from_ref(&root)), [root.join("driver")]);
        assert_eq!(libraries_of(&[root.join("icd.d/a.json")]), [root.join("driver")]);
        assert_eq!(libraries_of(&[root.join("layers/b.json"), root.join("none")]), Vec::<PathBuf>::new());
    }

    /// A row that nothing tells from another one, or that gives away what the table is there to keep.
    #[test]
    fn rows_are_distinct_and_give_no_home_away() {
        for (at, row) in PATHS.iter().enumerate() {
            assert!(PATHS[..at].iter().all(|other| other.pattern != row.pattern), "{} is there twice", row.pattern);
            let whole =
                ["/", "~", "~/", "/home", "/root", "/etc", "/proc", "/sys", "/dev", "/tmp", "/run", "/var", "/usr"];
            assert!(!whole.contains(&row.pattern.trim_end_matches('*')), "{}", row.pattern);
            assert!(row.right != Right::Write, "{}: what is written is given by who starts the process", row.pattern);
        }
    }
}
