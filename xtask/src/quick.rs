//! What `cargo xtask test --quick` leaves out of the crates' tests.

use std::path::Path;

/// A test program that takes too long.
struct LeftOut {
    /// Its package, without `afterimage-`.
    package: &'static str,
    /// Its name: that of its file or folder in `tests`, or the package's own for its unit tests.
    program: &'static str,
    /// Why.
    why: &'static str,
}

/// All of them. Seconds are those of a processor, measured on two busy cores; what is not here takes less than 15, but for the renderer on
/// Metal, whose tests are one program of 60.
const LEFT_OUT: &[LeftOut] = &[
    LeftOut { package: "afterimage", program: "report", why: "it needs a browser" },
    LeftOut { package: "viewer", program: "samples", why: "minutes: whole programs in windows" },
    LeftOut {
        package: "viewer",
        program: "viewer",
        why: "minutes: windows, programs and renderers that end in every way",
    },
    LeftOut { package: "gnm", program: "radv", why: "30 s and more: every shader of the corpus" },
    LeftOut {
        package: "vulkan",
        program: "strangers",
        why: "70 s and more: shaders of strangers, declarations past their bounds",
    },
    LeftOut { package: "shader", program: "steps", why: "44 s: every shader of the corpus through every step" },
    LeftOut { package: "shader", program: "nv2a", why: "44 s: shaders of the NV2A through a C++ compiler" },
    LeftOut { package: "shader-gcn", program: "metal", why: "60 s: every shader of the corpus through a C++ compiler" },
    LeftOut { package: "shader-gcn", program: "scalar", why: "21 s: scalar code, masks and control flow, interpreted" },
    LeftOut { package: "gnm", program: "scenes", why: "18 s: scenes of the PlayStation 4, drawn" },
    LeftOut { package: "passes", program: "feedback", why: "17 s: transform feedback against its model" },
    LeftOut { package: "passes", program: "geometry", why: "15 s: transform feedback of geometry shaders" },
    LeftOut { package: "nv2a", program: "values", why: "15 s: every value of every field of the NV2A, drawn" },
    LeftOut { package: "xfb-cases", program: "harness", why: "39 s: cases of transform feedback in every way" },
    LeftOut { package: "spirv", program: "compute", why: "35 s: the compute stage in a driver" },
    LeftOut { package: "msl", program: "compute", why: "20 s: the compute stage through a C++ compiler" },
    LeftOut {
        package: "afterimage",
        program: "hostile",
        why: "90 s and more: every file that ever did harm, floods of bad packets",
    },
    LeftOut {
        package: "afterimage",
        program: "comparing",
        why: "37 s: `diff` of captures, some of which were changed",
    },
    LeftOut {
        package: "afterimage",
        program: "outputs",
        why: "18 s: full disks and folders that cannot be written to",
    },
    LeftOut {
        package: "shader-spirv",
        program: "driver",
        why: "18 s: pictures with shaders and with what is made of them",
    },
    LeftOut { package: "spirv", program: "differential", why: "17 s: opcodes and random shaders in a driver" },
];

/// How the log says that one is left out.
const SAYS: &str = "left out: ";

/// Whether a test program of the package that cargo has named in the environment is left out; then the log says so.
pub(crate) fn leaves_out(program: &Path) -> bool {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let row = row_of(&package, program);
    if let Some(row) = row {
        println!("{SAYS}{}/{}: {}", row.package, row.program, row.why);
    }
    row.is_some()
}

/// Prints what the log says was left out, and counts it.
pub(crate) fn report(log: &str) -> usize {
    let left_out: Vec<&str> = log.lines().filter_map(|line| line.strip_prefix(SAYS)).collect();
    for row in &left_out {
        println!("skipped: {row}");
    }
    println!(
        "skipped, as `--quick` says: licences, the samples through Wine, keys, recordings, others' tests, fuzzing"
    );
    left_out.len()
}

/// The row of a test program: `target/debug/deps/NAME-0123456789abcdef` of this package.
fn row_of(package: &str, program: &Path) -> Option<&'static LeftOut> {
    let package = package.strip_prefix("afterimage-").unwrap_or(package);
    let name = program.file_name()?.to_str()?.rsplit_once('-')?.0;
    let name = name.strip_prefix("afterimage_").unwrap_or(name);
    LEFT_OUT.iter().find(|row| row.package == package && row.program.replace('-', "_") == name)
}

#[cfg(test)]
mod tests {
    use super::{LEFT_OUT, row_of};
    use std::path::Path;
    use xtask::workspace::Workspace;

    #[test]
    fn programs_are_told_by_package_and_name() {
        let row = &LEFT_OUT[0];
        let path = |name: &str| format!("/t/debug/deps/{}-0123456789abcdef", name.replace('-', "_"));
        let found = |package: &str, name: &str| row_of(package, Path::new(&path(name))).is_some();
        assert!(found(&format!("afterimage-{}", row.package), row.program));
        assert!(!found("afterimage-none", row.program));
        assert!(!found(&format!("afterimage-{}", row.package), "none"));
    }

    /// A row of what is no longer there would hide that something else is left out.
    #[test]
    fn what_is_left_out_is_there() {
        let root = Workspace::find().root;
        for row in LEFT_OUT {
            let folders = ["crates", "apps"].map(|folder| root.join(folder).join(row.package));
            let folder = folders.iter().find(|folder| folder.is_dir()).unwrap_or_else(|| panic!("no {}", row.package));
            let tests = folder.join("tests");
            let files = [tests.join(format!("{}.rs", row.program)), tests.join(row.program).join("main.rs")];
            assert!(
                row.package == row.program || files.iter().any(|file| file.is_file()),
                "{}/{}",
                row.package,
                row.program
            );
        }
    }
}
