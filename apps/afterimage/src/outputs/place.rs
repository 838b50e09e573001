//! Where files go: in a folder that is there, under a name that says what they are. Folders that a command fills it may make, and says so.

use super::LOST;
use std::io;
use std::path::Path;

/// A command line that is not carried out.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(crate) struct Refused {
    text: String,
    /// The command's exit code.
    pub(crate) code: u8,
}

impl Refused {
    /// It is wrong, as any that clap refuses.
    pub(crate) fn usage(text: String) -> Self {
        Self { text, code: 2 }
    }

    fn file(path: &Path, why: &str) -> Self {
        Self { text: format!("cannot write {}: {why}", path.display()), code: LOST }
    }
}

/// Whether a file can be written under a name, as far as that can be told before there is anything to write: its extension is one of
/// those, if it has any, and its folder is there.
pub(crate) fn may_be_written(path: &Path, option: &str, extensions: &[&str]) -> Result<(), Refused> {
    if let Some(extension) = path.extension().filter(|_| !extensions.is_empty())
        && !extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
    {
        let known = extensions.iter().map(|known| format!(".{known}")).collect::<Vec<_>>().join(" ");
        return Err(Refused::usage(format!(
            "{}: .{} is no extension of what {option} writes: {known}",
            path.display(),
            extension.display()
        )));
    }
    if path.is_dir() {
        return Err(Refused::file(path, "it is a folder; name a file in it"));
    }
    let folder = afterimage_output::folder_of(path);
    match folder.metadata() {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(_) => Err(Refused::file(path, &format!("{} is no folder", folder.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = folder.display();
            Err(Refused::file(path, &format!("the folder {folder} does not exist; make it first (mkdir -p {folder})")))
        }
        // Whatever it is, writing says it better.
        Err(_) => Ok(()),
    }
}

/// Makes a folder that is going to be filled with files, and says so unless that is not wanted; nothing where it is there.
pub(crate) fn fill(folder: &Path, quiet: bool) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    if !quiet {
        made(folder);
    }
    Ok(())
}

/// Says that a folder was made.
pub(crate) fn made(folder: &Path) {
    eprintln!("afterimage: made the folder {}", folder.display());
}

#[cfg(test)]
mod tests {
    use super::may_be_written;

    #[test]
    fn names_say_what_is_written_and_folders_are_there() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        let said = |name: &str| {
            may_be_written(&at(name), "--output", &["spv", "metal"]).map_err(|why| (why.code, why.to_string()))
        };
        for fine in ["x.spv", "x.SPV", "x", "a.b.metal", ".hidden"] {
            assert_eq!(said(fine), Ok(()), "{fine}");
        }
        let (code, text) = said("x.glsl").unwrap_err();
        assert!(
            code == 2 && text.ends_with("x.glsl: .glsl is no extension of what --output writes: .spv .metal"),
            "{text}"
        );
        for (name, words) in
            [("no/x.spv", "no does not exist"), ("file/x.spv", "file is no folder"), (".", "it is a folder")]
        {
            let (code, text) = said(name).unwrap_err();
            assert!(code == 3 && text.starts_with("cannot write ") && text.contains(words), "{text}");
        }
        assert_eq!(may_be_written(&at("x.anything"), "--output", &[]).map_err(|why| why.to_string()), Ok(()));
    }
}
