//! The release for Macs: an application with the viewer, the command line and the libraries in it, and what the others have besides.

use xtask::build::{self, Profile};
use xtask::macos::{self, OLDEST, Target};
use xtask::step::Result;
use xtask::workspace::Workspace;

use crate::stage::{COMMON, DOCUMENTS, Release};
use crate::{archive, changes, files, licences, pages, selftest};

/// What is in the application.
const CONTENTS: &str = "Afterimage.app/Contents";
/// What the package for Macs has of the source tree besides what every release has, and where it goes.
const SOURCES: &[(&str, &str)] = &[("docs/metal.md", "README.md")];

/// What macOS wants to know of the application. Source: Apple's list of the keys of `Info.plist`.
fn properties(version: &str) -> String {
    let text = |key: &str, value: &str| format!("    <key>{key}</key>\n    <string>{value}</string>\n");
    let rows = [
        ("CFBundleExecutable", "afterimage-viewer"),
        ("CFBundleIdentifier", "afterimage.viewer"),
        ("CFBundleInfoDictionaryVersion", "6.0"),
        ("CFBundleName", "Afterimage"),
        ("CFBundlePackageType", "APPL"),
        ("CFBundleShortVersionString", version),
        ("CFBundleVersion", version),
        ("LSMinimumSystemVersion", OLDEST),
    ];
    let rows: String = rows.iter().map(|(key, value)| text(key, value)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n{rows}    \
         <key>NSHighResolutionCapable</key>\n    <true/>\n</dict>\n</plist>\n"
    )
}

/// Builds it, and packs it. DLLs for Windows programs are in it where they were built before.
///
/// # Errors
/// When something does not build, or cannot be packed.
pub(crate) fn make(ws: &Workspace, target: Target, profile: Profile) -> Result<()> {
    let built = macos::build(ws, target, profile)?;
    let versions = changes::read(ws)?;
    let release =
        Release::of(ws, format!("afterimage-{}-{}-macos", versions[0].number, target.processor()), versions, profile);
    let tree = &release.tree;
    files::fresh(tree)?;
    let contents = tree.join(CONTENTS);
    files::write(&contents.join("Info.plist"), properties(release.version()))?;
    let all = |_: &std::path::Path| true;
    files::copy(&built.viewer, &contents.join("MacOS/afterimage-viewer"), &all)?;
    files::copy(&built.afterimage, &contents.join("MacOS/afterimage"), &all)?;
    files::copy(&built.library, &contents.join("lib/afterimage/libd3d9.dylib"), &all)?;
    for width in build::Width::ALL {
        let dll = build::folder(ws, profile).join(width.folder()).join("d3d9.dll");
        if dll.is_file() {
            files::copy(&dll, &contents.join("lib/afterimage").join(width.folder()).join("d3d9.dll"), &all)?;
        } else {
            println!("without d3d9.dll for {} bit: `cargo xtask dist` has not built it", width.bits());
        }
    }
    selftest::copy(ws, profile, &contents.join(selftest::FOLDER))?;
    for (from, to) in COMMON.iter().chain(SOURCES) {
        files::copy(&ws.root.join(from), &tree.join(to), &all)?;
    }
    pages::write(ws, &tree.join(DOCUMENTS))?;
    files::write(&tree.join(DOCUMENTS).join("licences.txt"), licences::text(ws)?)?;
    files::set_rights(tree, &|file| file.to_string_lossy().contains("Contents/MacOS/"))?;
    archive::pack(ws, &release, tree, &release.archive())?;
    for file in files::list(tree)?.iter().map(|file| tree.join(file)).chain([release.archive()]) {
        println!("{:>10}  {}", files::size(&file), file.strip_prefix(&release.folder).unwrap_or(&file).display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::properties;

    #[test]
    fn properties_name_the_program_and_the_version() {
        let text = properties("1.2.3");
        assert!(text.contains("<key>CFBundleExecutable</key>\n    <string>afterimage-viewer</string>"), "{text}");
        assert!(text.contains("<key>CFBundleVersion</key>\n    <string>1.2.3</string>"), "{text}");
    }
}
