//! The Debian package of a staged release: the same tree below `/usr`, and what dpkg and Debian's policy want besides.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use xtask::build::{self, Profile};
use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;

use crate::stage::{self, Release};
use crate::{copyright, crates, debug, files};

/// Who looks after the package, unless the variables say another that Debian's tools have for it.
const MAINTAINER: (&str, &str) = ("The Afterimage authors", "afterimage@packages.invalid");
/// Where our documents lie.
const DOCUMENTS: &str = "usr/share/doc/afterimage";
/// What is loaded at run time, so that nobody sees it in our files.
const DEPENDS: &str = "libvulkan1";
/// A driver, and what windows of the viewer need.
const RECOMMENDS: &str =
    "mesa-vulkan-drivers | vulkan-icd, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon-x11-0";
/// For Windows programs, windows of native ones, checks, and embedders.
const SUGGESTS: &str = "wine, libsdl2-2.0-0, vulkan-validationlayers, spirv-tools, pkg-config";
/// What lintian is not to tell, each with its reason.
const OVERRIDES: &str = "";

/// Makes the package.
///
/// # Errors
/// When dpkg's tools are not there or fail.
pub(crate) fn pack(ws: &Workspace, release: &Release) -> Result {
    for tool in ["dpkg-deb", "dpkg-shlibdeps"] {
        if !step::on_path(tool) {
            return Err(Failure::new("making a Debian package", format!("{tool} is not installed"))
                .advise("apt-get install dpkg-dev"));
        }
    }
    // As dpkg-shlibdeps expects it: a source package's folder, and the package's in it.
    let source = release.folder.join("deb");
    let root = source.join("debian/afterimage");
    files::fresh(&source)?;
    tree(ws, release, &root)?;
    control(release, &source, &root)?;
    files::set_rights(&root, &|file| file.strip_prefix("usr").is_ok_and(Release::is_program))?;
    set_time(&root, release.seconds())?;
    let mut dpkg = Command::new("dpkg-deb");
    let level = if release.profile == Profile::Release { "-z9" } else { "-z0" };
    dpkg.args(["--root-owner-group", "-Zxz", level, "--build"]).arg(&root).arg(release.deb());
    dpkg.env("SOURCE_DATE_EPOCH", release.seconds().to_string());
    step::run(ws, &mut dpkg, "packing the Debian package", "").map(drop)
}

/// Where a file of the release goes in the package; nowhere if the package has it in another form.
fn place(file: &str) -> Option<PathBuf> {
    let path = match file {
        "README.md" => format!("{DOCUMENTS}/README.md"),
        "LICENSE-MIT" | "LICENSE-APACHE" => return None,
        // With another prefix.
        _ if file.starts_with("lib/pkgconfig/") => return None,
        _ => match file.strip_prefix("share/zsh/site-functions/") {
            Some(name) => format!("usr/share/zsh/vendor-completions/{name}"),
            None => format!("usr/{file}"),
        },
    };
    Some(path.into())
}

fn tree(ws: &Workspace, release: &Release, root: &Path) -> Result {
    for file in files::list(&release.tree)? {
        if let Some(to) = place(&file.to_string_lossy()) {
            build::copy(&release.tree.join(&file), &root.join(to))?;
        }
    }
    for (file, text) in stage::pkg_config("usr/lib/x86_64-linux-gnu/pkgconfig", "/usr", release.version()) {
        files::write(&root.join(file), text)?;
    }
    let documents = root.join(DOCUMENTS);
    files::write(&documents.join("copyright"), copyright::text(&crates::shipped(ws)?)?)?;
    files::write(&documents.join("changelog"), changelog(release))?;
    let mut small = vec![documents.join("changelog")];
    let pages = root.join("usr/share/man/man1");
    small.extend(files::list(&pages)?.iter().map(|page| pages.join(page)));
    // Without names and times, so that the same text is the same file.
    step::output(Command::new("gzip").args(["-9", "-n"]).args(&small), "compressing manual pages")?;
    if !OVERRIDES.is_empty() {
        files::write(&root.join("usr/share/lintian/overrides/afterimage"), OVERRIDES)?;
    }
    Ok(())
}

fn maintainer() -> String {
    let said =
        |name: &str, usual: &str| std::env::var(name).ok().filter(|said| !said.is_empty()).unwrap_or(usual.to_owned());
    format!("{} <{}>", said("DEBFULLNAME", MAINTAINER.0), said("DEBEMAIL", MAINTAINER.1))
}

/// `debian/changelog`, of all versions.
fn changelog(release: &Release) -> String {
    let maintainer = maintainer();
    let entry = |text: &String| format!("  * {}\n", wrapped(text, 74).join("\n    "));
    let version = |version: &crate::changes::Version| {
        let entries: String = version.entries.iter().map(entry).collect();
        let number = &version.number;
        format!(
            "afterimage ({number}) unstable; urgency=medium\n\n{entries}\n -- {maintainer}  {}\n",
            version.mail_date()
        )
    };
    release.versions.iter().map(version).collect::<Vec<_>>().join("\n")
}

/// A text in lines of so many letters at most, but for words that are longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `DEBIAN/control` and `DEBIAN/md5sums`.
fn control(release: &Release, source: &Path, root: &Path) -> Result {
    let about =
        format!("Source: afterimage\nMaintainer: {}\n\nPackage: afterimage\nArchitecture: amd64\n", maintainer());
    files::write(&source.join("debian/control"), about)?;
    let inside = files::list(root)?;
    let bytes: u64 = inside.iter().map(|file| files::size(&root.join(file)).next_multiple_of(1024)).sum();
    let text = format!(
        "Package: afterimage\nVersion: {}\nArchitecture: amd64\nMaintainer: {}\nInstalled-Size: {}\n\
         Depends: {}, {DEPENDS}\nRecommends: {RECOMMENDS}\nSuggests: {SUGGESTS}\nSection: graphics\nPriority: optional\n\
         Description: Direct3D 9, Xbox and PlayStation 4 graphics drawn with Vulkan\n \
         Afterimage takes the commands and shaders of graphics systems whose hardware\n \
         and drivers are going away, and draws them with Vulkan: Direct3D 9 of Windows\n \
         programs under Wine and of native ones, and, for emulators, the first Xbox's\n \
         NV2A and the PlayStation 4's GNM.\n .\n \
         It brings its d3d9.dll for 64-bit and 32-bit Windows programs, libd3d9.so, a\n \
         viewer, captures that can be replayed and inspected, shader compilers, and\n \
         transform feedback for Vulkan devices that have none.\n",
        release.version(),
        maintainer(),
        bytes / 1024,
        libraries(source, root)?
    );
    files::write(&root.join("DEBIAN/control"), text)?;
    let mut sums = Command::new("md5sum");
    let sums = step::output(sums.args(&inside).current_dir(root), "summing up the package's files")?;
    files::write(&root.join("DEBIAN/md5sums"), sums)
}

/// The packages that our files are linked with, as `Depends` has them.
fn libraries(source: &Path, root: &Path) -> Result<String> {
    let mut dpkg = Command::new("dpkg-shlibdeps");
    dpkg.current_dir(source).args(["-O", "--warnings=1"]);
    for file in debug::machine_code(root)? {
        // DLLs and programs for Windows have dependencies of another kind.
        if file.extension().is_none_or(|extension| extension == "so") {
            dpkg.arg(format!("-edebian/afterimage/{}", file.display()));
        }
    }
    let said = step::output(&mut dpkg, "dpkg-shlibdeps")?;
    let found = said.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    found.map(str::to_owned).ok_or_else(|| Failure::new("dpkg-shlibdeps", format!("it names no packages: {said}")))
}

/// Gives everything the same time: what is older than that would keep its own.
fn set_time(root: &Path, seconds: i64) -> Result {
    let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    let set = |path: &Path| {
        let file = std::fs::File::open(path).and_then(|file| file.set_modified(time));
        file.doing(format!("setting the time of {}", path.display()))
    };
    for file in files::list(root)? {
        let path = root.join(file);
        path.ancestors().take_while(|path| path.starts_with(root)).try_for_each(set)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{place, wrapped};
    use std::path::PathBuf;

    #[test]
    fn files_go_where_debian_has_them() {
        let at = |file: &str| place(file).map(|path| path.display().to_string());
        assert_eq!(at("bin/afterimage").as_deref(), Some("usr/bin/afterimage"));
        assert_eq!(
            at("share/zsh/site-functions/_afterimage").as_deref(),
            Some("usr/share/zsh/vendor-completions/_afterimage")
        );
        assert_eq!(place("LICENSE-MIT"), None::<PathBuf>);
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two  three\nfour", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("a-word-that-is-long b", 4), ["a-word-that-is-long", "b"]);
    }
}
