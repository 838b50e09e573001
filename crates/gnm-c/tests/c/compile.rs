//! Compilers, and what they make.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The package's folder.
pub(crate) const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// Where the headers are.
pub(crate) fn include() -> PathBuf {
    Path::new(PACKAGE).join("../../include")
}

/// Where cargo has the shared library: beside the tests.
pub(crate) fn libraries() -> PathBuf {
    std::env::current_exe().expect("this program").parent().expect("its folder").to_owned()
}

/// Runs a compiler, or says that there is none.
pub(crate) fn compiler(name: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(name).args(arguments).arg("-I").arg(include()).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: there is no compiler `{name}`");
            assert!(std::env::var_os("CI").is_none(), "set-up installs `{name}`");
            None
        }
        output => Some(output.expect("it runs")),
    }
}

pub(crate) fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A program of a source of this package, if there is a compiler.
pub(crate) fn program(scratch: &Path, source: &str) -> Option<PathBuf> {
    let made = scratch.join(Path::new(source).file_stem().expect("a name"));
    let (name, standard) = if source.ends_with(".c") { ("cc", "-std=c11") } else { ("c++", "-std=c++17") };
    let rpath = format!("-Wl,-rpath,{}", libraries().display());
    let source = Path::new(PACKAGE).join(source);
    let [source, out, libraries] = [&source, &made, &libraries()].map(|path| path.to_str().expect("UTF-8").to_owned());
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-pthread"];
    let arguments: Vec<&str> = [standard]
        .into_iter()
        .chain(strict)
        .chain([&source, "-o", &out, "-L", &libraries, "-lafterimage_gnm_c", &rpath])
        .collect();
    succeeded(&compiler(name, &arguments)?);
    Some(made)
}

/// A picture as programs write it: columns, lines, and three bytes a pixel.
pub(crate) fn ppm(path: &Path) -> ([u32; 2], Vec<u8>) {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
    let head = std::str::from_utf8(&bytes[..end]).expect("text");
    let numbers: Vec<u32> = head.strip_prefix("P6 ").expect("PPM").split(' ').map(|n| n.parse().unwrap()).collect();
    let &[width, height, 255] = &numbers[..] else { panic!("{head}") };
    assert_eq!(bytes.len() - end - 1, (3 * width * height) as usize);
    ([width, height], bytes[end + 1..].to_vec())
}

/// Red, green and blue of a picture that has alpha.
pub(crate) fn opaque(rgba: &[u8]) -> Vec<u8> {
    rgba.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
}
