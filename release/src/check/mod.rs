//! Whether a release is right: as a user would find out, from the archive and the package and not from where they were made.

mod machine_code;
mod trial;

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{Profile, Tree, Width, Windows};
use xtask::samples::SAMPLES;
use xtask::score::Score;
use xtask::step::{self, Context as _, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::stage::{self, DOCUMENTS, LIBRARIES, Release};
use crate::{archive, files, links, selftest};

/// Bytes that the archive may have at most.
const LIMIT: u64 = 45_000_000;

/// What came of a check.
enum Found {
    /// All is well, and this is a figure about it.
    Well(String),
    /// It cannot be made here, and why.
    Skipped(String),
}

/// A check.
type Look = fn(&Checked<'_>) -> Result<Found>;

/// All checks, in their order.
const CHECKS: &[(&str, Look)] = &[
    ("the archive's size", size),
    ("everything is at its place", layout),
    ("names of this machine", machine_code::names),
    ("programs and libraries are stripped, and find their libraries from where they lie", machine_code::stripped),
    ("what the documents name is there", documents),
    ("shells read the completions, and man the manual", command_line),
    ("staged and packed again, the archive is the same", again),
    ("the self-test of the unpacked archive", self_test),
    ("a program is built against the unpacked archive", embedding),
    ("the loader finds the layer of the unpacked archive, which captures as the driver does", layer),
    ("lintian", trial::lintian),
    ("the archive draws in a bare Debian", trial::archive),
    ("the package is installed, draws, and leaves nothing", trial::package),
];

/// A release that is checked.
struct Checked<'a> {
    ws: &'a Workspace,
    /// What it was staged of.
    built: &'a Tree,
    release: &'a Release,
    /// Where its archive is unpacked.
    unpacked: PathBuf,
}

/// Makes all checks: goes on after one that fails, and prints what each found.
pub(crate) fn all(ws: &Workspace, built: &Tree, release: &Release, score: &mut Score) {
    let unpacked = match unpack(release) {
        Ok(unpacked) => unpacked,
        Err(failure) => return score.add(Err(failure)),
    };
    let checked = Checked { ws, built, release, unpacked };
    if release.profile == Profile::Dev {
        println!("checking a release of what the tests build; what users get is smaller: cargo xtask dist --check");
    }
    for (what, look) in CHECKS {
        let progress = Progress::start(*what);
        let found = look(&checked);
        progress.finish(&found);
        match found {
            Ok(Found::Well(figure)) => {
                println!("ok {what}: {figure}");
                score.passed += 1;
            }
            Ok(Found::Skipped(why)) => {
                println!("skipped {what}: {why}");
                score.skipped += 1;
            }
            Err(failure) => {
                println!("FAILED {what}");
                score.add(Err(failure));
            }
        }
    }
}

/// Unpacks the archive as a user does, away from where it was staged.
fn unpack(release: &Release) -> Result<PathBuf> {
    let folder = release.folder.join("unpacked");
    files::fresh(&folder)?;
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--file").arg(release.archive()).arg("--directory").arg(&folder);
    step::output(&mut tar, "unpacking the archive")?;
    Ok(folder.join(&release.name))
}

fn wrong(what: &str, wrong: &[String]) -> Result {
    if wrong.is_empty() { Ok(()) } else { Err(Failure::new(what, wrong.join("\n"))) }
}

fn size(checked: &Checked<'_>) -> Result<Found> {
    let release = checked.release;
    let [archive, debug, deb] =
        [release.archive(), release.debug_archive(), release.deb()].map(|file| files::size(&file));
    let mega = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let said = format!("{}; debug files {}, Debian package {}", mega(archive), mega(debug), mega(deb));
    if archive == 0 || archive >= LIMIT {
        return Err(Failure::new("the archive's size", format!("{said}, and it may have {}", mega(LIMIT))));
    }
    Ok(Found::Well(said))
}

/// What users look for, by the paths that the documentation has.
fn layout(checked: &Checked<'_>) -> Result<Found> {
    let tree = &checked.unpacked;
    let mut wanted: Vec<String> = [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "bin/afterimage",
        "bin/afterimage-viewer",
        "include/afterimage/d3d9.h",
        "include/afterimage_feedback.h",
        "include/afterimage_gnm.h",
        "include/afterimage_gnm_library.h",
        "lib/pkgconfig/afterimage-d3d9.pc",
        "lib/pkgconfig/afterimage-feedback.pc",
        "lib/pkgconfig/afterimage-gnm.pc",
        "share/vulkan/implicit_layer.d/VkLayer_afterimage_transform_feedback.json",
        "share/man/man1/afterimage.1",
        "share/man/man1/afterimage-viewer.1",
        "share/bash-completion/completions/afterimage",
        "share/zsh/site-functions/_afterimage",
        "share/fish/vendor_completions.d/afterimage.fish",
    ]
    .map(str::to_owned)
    .into();
    wanted.extend(["licences.txt", "afterimage.conf", "html/index.html"].map(|file| format!("{DOCUMENTS}/{file}")));
    let libraries = ["libd3d9.so", "libafterimage_feedback_c.so", "libafterimage_gnm_c.so", "libafterimage_layer.so"];
    wanted.extend(libraries.map(|file| format!("{LIBRARIES}/{file}")));
    wanted.push(format!("{}/{}", selftest::FOLDER, selftest::INDEX));
    wanted.extend(SAMPLES.iter().map(|sample| format!("{}/{}.aftercap", selftest::FOLDER, sample.name)));
    wanted.extend(SAMPLES.iter().map(|sample| format!("{LIBRARIES}/samples/native/{}", sample.name)));
    let windows = matches!(checked.release.windows, Windows::Built);
    if windows {
        wanted.extend(Width::ALL.map(|width| format!("{LIBRARIES}/{}/d3d9.dll", width.folder())));
        wanted.extend(Width::ALL.map(|width| format!("{LIBRARIES}/samples/{}/scene.exe", width.folder())));
    }
    let missing: Vec<String> = wanted.iter().filter(|file| files::size(&tree.join(file)) == 0).cloned().collect();
    wrong("looking for files of the release", &missing)?;
    // What the program itself finds of them, where it lies.
    let said = checked.afterimage(&["info"])?;
    let ours: &[&str] = if windows {
        &["libd3d9.so", "d3d9.dll, 64 bit", "d3d9.dll, 32 bit", "viewer"]
    } else {
        &["libd3d9.so", "viewer"]
    };
    let place = tree.display().to_string();
    let lost = ours
        .iter()
        .filter(|name| !said.lines().any(|line| line.trim_start().starts_with(**name) && line.contains(&place)));
    wrong(
        "`afterimage info` of the unpacked archive",
        &lost.map(|name| format!("{name}:\n{said}")).collect::<Vec<_>>(),
    )?;
    // The commented configuration is the one that this program writes.
    let conf = tree.join(DOCUMENTS).join("afterimage.conf");
    let conf = std::fs::read_to_string(&conf).doing(format!("reading {}", conf.display()))?;
    if conf != checked.afterimage(&["config", "--write", "-"])? {
        return Err(Failure::new("afterimage.conf", "it is not what `afterimage config --write -` writes"));
    }
    let half = if windows { "" } else { ", without the Windows half" };
    Ok(Found::Well(format!("{} of {} files looked for{half}", wanted.len(), files::list(tree)?.len())))
}

impl Checked<'_> {
    /// What the unpacked program prints; nothing of this session tells it where its files are.
    fn afterimage(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(self.unpacked.join("bin/afterimage"));
        command.args(arguments).current_dir(&self.unpacked);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
            command.env_remove(name);
        }
        step::output(&mut command, &format!("afterimage {}", arguments.join(" ")))
    }
}

fn documents(checked: &Checked<'_>) -> Result<Found> {
    let count = links::check(&checked.unpacked)?;
    Ok(Found::Well(format!("{count} links, pictures and paths")))
}

/// Each command of the help has a page that man shows without a word, and bash completes it.
fn command_line(checked: &Checked<'_>) -> Result<Found> {
    let tree = &checked.unpacked;
    let help = checked.afterimage(&["--help"])?;
    let (_, rest) = help.split_once("Commands:\n").unwrap_or_default();
    let commands: Vec<&str> = rest
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next().filter(|_| !line.starts_with("   ")))
        .filter(|command| *command != "help")
        .collect();
    let missing: Vec<String> = commands
        .iter()
        .map(|command| format!("share/man/man1/afterimage-{command}.1"))
        .filter(|page| !tree.join(page).is_file())
        .collect();
    wrong("looking for manual pages", &missing)?;
    let pages = files::list(&tree.join("share/man/man1"))?;
    let mut shown = "no man is installed";
    if step::on_path("man") {
        shown = "man shows them";
        for page in &pages {
            let mut man = Command::new("man");
            man.args(["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]).arg(tree.join("share/man/man1").join(page));
            let out = man.env("LC_ALL", "C.UTF-8").env("MANROFFSEQ", "").output().doing("starting man")?;
            if !out.status.success() || !out.stderr.is_empty() {
                return Err(Failure::new(format!("man {}", page.display()), String::from_utf8_lossy(&out.stderr)));
            }
        }
    }
    let script = format!(
        "source '{}' && COMP_WORDS=(afterimage re) COMP_CWORD=1 && _afterimage afterimage re afterimage && echo ${{COMPREPLY[@]}}",
        tree.join("share/bash-completion/completions/afterimage").display()
    );
    let completed = step::output(Command::new("bash").args(["-c", &script]), "completing `afterimage re` in bash")?;
    let expected: Vec<&str> = commands.iter().copied().filter(|command| command.starts_with("re")).collect();
    if expected.is_empty() || completed.split_whitespace().ne(expected.iter().copied()) {
        return Err(Failure::new("completing `afterimage re` in bash", format!("{completed:?}, not {expected:?}")));
    }
    for (shell, file) in
        [("zsh", "share/zsh/site-functions/_afterimage"), ("fish", "share/fish/vendor_completions.d/afterimage.fish")]
    {
        if step::on_path(shell) {
            step::output(
                Command::new(shell).arg("--no-execute").arg(tree.join(file)),
                &format!("{shell} reading {file}"),
            )?;
        }
    }
    Ok(Found::Well(format!("{} commands, {} pages; {shown}", commands.len(), pages.len())))
}

/// At another time and in another folder, the same comes out.
fn again(checked: &Checked<'_>) -> Result<Found> {
    let folder = checked.release.folder.join("again");
    let second = stage::stage(checked.ws, checked.built, checked.release.profile, folder.clone())?;
    step::output(&mut archive::command(&second, &second.tree, &second.archive())?, "packing again")?;
    let read = |file: &Path| std::fs::read(file).doing(format!("reading {}", file.display()));
    if read(&checked.release.archive())? == read(&second.archive())? {
        std::fs::remove_dir_all(&folder).doing(format!("removing {}", folder.display()))?;
        return Ok(Found::Well("byte for byte".to_owned()));
    }
    let differs = |file: &&PathBuf| {
        let [one, other] = [&checked.release.tree, &second.tree].map(|tree| std::fs::read(tree.join(file)).ok());
        one != other
    };
    let names: Vec<String> =
        files::list(&second.tree)?.iter().filter(differs).map(|file| file.display().to_string()).collect();
    Err(Failure::new("packing again", format!("another archive comes out; files that differ: {}", names.join(", "))))
}

/// Nothing of it is wrong with the driver that its pictures are of.
fn self_test(checked: &Checked<'_>) -> Result<Found> {
    let page = checked.release.folder.join("selftest.html");
    let said = checked.afterimage(&["selftest", "--device", "llvmpipe", "-o", &page.to_string_lossy()]);
    let said = said.map_err(|failure| failure.advise(format!("{} says what is wrong", page.display())))?;
    let whole = said.lines().rev().nth(1).unwrap_or_default();
    Ok(Found::Well(whole.to_owned()))
}

/// The examples, with what pkg-config says, run.
fn embedding(checked: &Checked<'_>) -> Result<Found> {
    if !step::on_path("pkg-config") {
        return Ok(Found::Skipped("pkg-config is not installed".to_owned()));
    }
    let folder = checked.release.folder.join("built");
    files::fresh(&folder)?;
    let examples = checked.unpacked.join(DOCUMENTS).join("examples");
    for (compiler, source, package) in [
        ("cc", "embed.c", "afterimage-feedback"),
        ("cc", "triangle.c", "afterimage-gnm"),
        ("g++", "scene.cpp", "afterimage-d3d9"),
    ] {
        let mut pkg_config = Command::new("pkg-config");
        pkg_config.args(["--cflags", "--libs", package]).env("PKG_CONFIG_PATH", checked.unpacked.join("lib/pkgconfig"));
        let flags = step::output(&mut pkg_config, &format!("pkg-config {package}"))?;
        let mut compile = Command::new(compiler);
        compile
            .arg(examples.join(source))
            .arg("-o")
            .arg(folder.join(package))
            .args(flags.split_whitespace())
            .arg("-ldl");
        step::output(&mut compile, &format!("compiling {source}"))?;
    }
    let shader = checked.ws.root.join("crates/feedback/tests/shaders/place.vert.spv");
    let mut embed = Command::new(folder.join("afterimage-feedback"));
    embed.arg(shader).args([folder.join("out.spv"), folder.join("prepare.spv")]).env_remove("LD_LIBRARY_PATH");
    let said = step::output(&mut embed, "running embed.c")?;
    let mut triangle = Command::new(folder.join("afterimage-gnm"));
    triangle.arg(folder.join("triangle.ppm")).env_remove("LD_LIBRARY_PATH");
    step::output(&mut triangle, "running triangle.c")?;
    let mut scene = Command::new(folder.join("afterimage-d3d9"));
    scene.args(["--frames", "1"]).env_remove("LD_LIBRARY_PATH");
    step::output(&mut scene, "running scene.cpp")?;
    let last = said.lines().last().unwrap_or_default();
    Ok(Found::Well(format!("embed.c, triangle.c and scene.cpp run ({last})")))
}

/// The example that captures, with the driver's extension, and by the manifest of the archive, with the layer's.
fn layer(checked: &Checked<'_>) -> Result<Found> {
    if !Path::new("/usr/include/vulkan/vulkan.h").is_file() {
        return Ok(Found::Skipped("Vulkan's headers are not installed".to_owned()));
    }
    let folder = checked.release.folder.join("captured");
    files::fresh(&folder)?;
    let mut compile = Command::new("cc");
    compile.arg(checked.unpacked.join(DOCUMENTS).join("examples/capture/capture.c"));
    compile.arg("-o").arg(folder.join("capture")).arg("-lvulkan");
    step::output(&mut compile, "compiling capture.c")?;
    let capture = || {
        let mut command = Command::new(folder.join("capture"));
        for name in
            ["VK_INSTANCE_LAYERS", "VK_ADD_LAYER_PATH", "AFTERIMAGE_XFB", "ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK"]
        {
            command.env_remove(name);
        }
        command
    };
    let native = step::output(&mut capture(), "running capture.c")?;
    let folders = std::env::var("XDG_DATA_DIRS").unwrap_or_else(|_| "/usr/local/share:/usr/share".to_owned());
    let folders = format!("{}:{folders}", checked.unpacked.join("share").display());
    let mut layered = capture();
    layered.env("XDG_DATA_DIRS", folders).env("ENABLE_AFTERIMAGE_TRANSFORM_FEEDBACK", "1");
    layered.env("AFTERIMAGE_XFB", "force").env("AFTERIMAGE_LOG", "info");
    let output = layered.output().doing("running capture.c with the layer")?;
    let (left, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !said.contains("transform feedback is the layer's") || left != native {
        return Err(Failure::new("capture.c with the layer", format!("{}\n{said}{left}", output.status)));
    }
    let cases = native.lines().filter(|line| !line.starts_with(' ')).count();
    Ok(Found::Well(format!("{cases} cases are the same")))
}
