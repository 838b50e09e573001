//! `afterimage install` in prefixes of Wine's: programs are then drawn by us with plain `wine GAME.exe`, in their own process and by a
//! viewer that they start; also what is installed and taken out while a program holds the prefix; and after `afterimage uninstall` the
//! prefix is what it was. Beforehand, the other way: our library beside a program.

mod snapshot;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use snapshot::Snapshot;
use xtask::build::{self, Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::picture::{self, Picture};
use crate::wine::Wine;
use crate::wine::seat::copy_prefix;

const SAMPLE: &str = "scene";
const FRAMES: &str = "12";
const SHOTS: &str = "1,5,10";
/// Seconds that a command may take.
const LIMIT: &str = "240";
/// How long a viewer may stay that nobody needs any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// A kind of prefix.
struct Kind {
    /// What it is.
    name: &'static str,
    /// The Wine that makes it and runs in it.
    wine: Width,
    /// `WINEARCH`, where Wine would make another one by itself.
    arch: Option<&'static str>,
    /// The folder of libraries of each width whose programs run there.
    folders: &'static [(Width, &'static str)],
    /// An override that the user has set before.
    overridden: Option<&'static str>,
    /// Whether `system32/d3d9.dll` is a link before, as other tools leave it.
    link: bool,
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "64-bit prefix",
        wine: Width::W64,
        arch: None,
        folders: &[(Width::W64, "system32")],
        overridden: None,
        link: true,
    },
    Kind {
        name: "prefix of both widths",
        wine: Width::W32,
        arch: Some("win64"),
        folders: &[(Width::W64, "system32"), (Width::W32, "syswow64")],
        overridden: Some("builtin"),
        link: false,
    },
    Kind {
        name: "32-bit prefix",
        wine: Width::W32,
        arch: Some("win32"),
        folders: &[(Width::W32, "system32")],
        overridden: None,
        link: false,
    },
];

/// How it went in one prefix.
pub(crate) struct Row {
    pub(crate) prefix: &'static str,
    pub(crate) end: End,
    /// What was left out, and why.
    pub(crate) skipped: Vec<String>,
}

/// Installs into a prefix of each kind, and takes it out.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    step::side_by_side(&KINDS, |kind| {
        let mut row = Row { prefix: kind.name, end: End::Good, skipped: Vec::new() };
        if let Some(end) = wine.denied(kind.wine) {
            return Row { end, ..row };
        }
        let progress = Progress::start(format!("afterimage install, {}", kind.name));
        let result = Session::start(ws, tree, wine, kind, &progress).and_then(|session| session.all(&mut row.skipped));
        progress.finish(&result);
        if let Err(failure) = result {
            eprintln!("{failure}");
            row.end = End::Bad(failure.summary());
        }
        row
    })
}

/// A prefix, and what is run in it.
struct Session<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    wine: &'a Wine,
    kind: &'a Kind,
    progress: &'a Progress,
    prefix: PathBuf,
    out: PathBuf,
}

impl<'a> Session<'a> {
    fn start(
        ws: &'a Workspace,
        tree: &'a Tree,
        wine: &'a Wine,
        kind: &'a Kind,
        progress: &'a Progress,
    ) -> Result<Self> {
        let name = kind.name.replace(' ', "-");
        let folder = ws.cache.join("installed");
        let original = folder.join(format!("{name}-as-made"));
        let out = ws.target.join("test-installed").join(&name);
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir_all(&out).doing(format!("creating {}", out.display()))?;
        let mut session = Self { ws, tree, wine, kind, progress, prefix: original.clone(), out };
        if !original.join("system.reg").is_file() {
            let _ = std::fs::remove_dir_all(&original);
            std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
            progress.now("making the prefix, once");
            session.wine(&["wineboot", "--init"], "making a prefix")?;
            session.server("-w");
        }
        session.prefix = folder.join(&name);
        let _ = std::fs::remove_dir_all(&session.prefix);
        copy_prefix(&original, &session.prefix)?;
        Ok(session)
    }

    fn all(&self, skipped: &mut Vec<String>) -> Result {
        self.progress.now("drawing what it should look like");
        let wanted = self.out.join("wanted");
        let mut native = Command::new(self.tree.native_sample(SAMPLE));
        native.args(["--frames", FRAMES]).env("AFTERIMAGE_RENDERER", "in-process");
        native.env("AFTERIMAGE_SCREENSHOTS", &wanted).env("AFTERIMAGE_SCREENSHOT_FRAMES", SHOTS);
        step::run_in(self.ws, &mut native, "the native program", "", self.progress)?;

        // One server for all that is done before, instead of one for each program.
        self.server("-p");
        self.set_out()?;
        self.progress.now("before: Wine's own Direct3D");
        for (width, _) in self.kind.folders {
            let pictures = self.out.join("before");
            // How it ends is Wine's matter, and that of the machine's OpenGL.
            let _ = self.program(&self.tree.windows_sample(SAMPLE, *width), "auto", &pictures).status();
            if !picture::in_folder(&pictures).is_empty() {
                return Err(Failure::new("before the installation", "Afterimage draws already"));
            }
            self.progress.now("before: beside a program");
            self.beside(*width)?;
        }
        self.server("-k");
        self.server("-w");
        // Wine's entries on the display's devices go with the first session that shows no window.
        self.wine(&["reg", "query", r"HKCU\Software\Wine"], "a session without a window")?;
        self.server("-w");
        let before = Snapshot::take(&self.prefix)?;

        self.afterimage("install", &[])?;
        for (width, folder) in self.kind.folders {
            self.is_ours(*width, folder)?;
            let exe = self.tree.windows_sample(SAMPLE, *width);
            for renderer in ["in-process", "viewer"] {
                let title = format!("{} bit, {renderer}", width.bits());
                if renderer == "in-process"
                    && let Some(why) = self.wine.denied_vulkan(*width)
                {
                    skipped.push(format!("{title}: {}", if let End::Skipped(why) = why { why } else { String::new() }));
                    continue;
                }
                self.progress.now(&title);
                let pictures = self.out.join(title.replace([' ', ','], "-"));
                let _ = std::fs::remove_dir_all(self.link());
                step::run_in(self.ws, &mut self.program(&exe, renderer, &pictures), &title, "", self.progress)?;
                // It writes its last pictures when the program is gone.
                if renderer == "viewer" {
                    self.is_unserved()?;
                }
                compare(&title, &wanted, &pictures)?;
            }
        }
        self.progress.now("again, and out, while Wine's server runs");
        self.server("-p");
        self.afterimage("install", &[])?;
        self.afterimage("uninstall", &[])?;
        self.server("-k");
        self.server("-w");
        before.same(&Snapshot::take(&self.prefix)?)?;

        self.progress.now("in and out while nothing runs");
        self.afterimage("install", &[])?;
        self.afterimage("uninstall", &[])?;
        before.same(&Snapshot::take(&self.prefix)?)
    }

    /// What the user has in the prefix before.
    fn set_out(&self) -> Result {
        let system = self.prefix.join("drive_c/windows/system32");
        if self.kind.link {
            let (dll, real) = (system.join("d3d9.dll"), system.join("wined3d9.dll"));
            std::fs::rename(&dll, &real).doing(format!("renaming {}", dll.display()))?;
            std::os::unix::fs::symlink("wined3d9.dll", &dll).doing(format!("linking {}", dll.display()))?;
        }
        if let Some(data) = self.kind.overridden {
            let key = r"HKCU\Software\Wine\DllOverrides";
            self.wine(&["reg", "add", key, "/v", "d3d9", "/d", data, "/f"], "setting an override")?;
        }
        Ok(())
    }

    /// A library beside its program: Wine takes it with the override that its log names, and not without.
    fn beside(&self, width: Width) -> Result {
        let folder = self.out.join(format!("beside-{}", width.bits()));
        let (exe, log, pictures) = (folder.join("program.exe"), folder.join("log"), folder.join("pictures"));
        build::copy(&self.tree.windows_sample(SAMPLE, width), &exe)?;
        build::copy(&self.tree.root().join(width.folder()).join("d3d9.dll"), &folder.join("d3d9.dll"))?;
        let run = |overrides: &str| {
            let mut command = self.program(&exe, "viewer", &pictures);
            command.env("WINEDLLOVERRIDES", format!("mscoree,mshtml={overrides}"));
            command.env("AFTERIMAGE_LOG", "info").env("AFTERIMAGE_LOG_FILE", &log);
            let _shown_by_what_it_writes = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            if self.link().join("viewer.pid").exists() {
                self.is_unserved()?;
            }
            Ok((std::fs::read_to_string(&log).unwrap_or_default(), picture::in_folder(&pictures).len()))
        };
        let wrong = |cause: String| Err(Failure::new(format!("d3d9.dll beside a {}-bit program", width.bits()), cause));
        let without = run("")?;
        if without != (String::new(), 0) {
            return wrong("Wine takes it without an override, and docs/install.md says that one is needed".to_owned());
        }
        let (said, shown) = run(";d3d9=n,b")?;
        let place = said.lines().find(|line| line.contains("library: Z:")).unwrap_or_default();
        if shown == 0 || !place.contains("WINEDLLOVERRIDES=d3d9=n,b") {
            return wrong(format!("{shown} pictures, and the log says: {said}"));
        }
        Ok(())
    }

    /// Whether our library is in its place.
    fn is_ours(&self, width: Width, folder: &str) -> Result {
        let (place, ours) = (
            self.prefix.join("drive_c/windows").join(folder).join("d3d9.dll"),
            self.tree.root().join(width.folder()).join("d3d9.dll"),
        );
        let read = |path: &Path| std::fs::read(path).doing(format!("reading {}", path.display()));
        if place.is_symlink() || read(&place)? != read(&ours)? {
            return Err(Failure::new("installing", format!("{} is not {}", place.display(), ours.display())));
        }
        Ok(())
    }

    fn afterimage(&self, command: &str, more: &[&str]) -> Result {
        let mut run = self.environment("timeout");
        run.args(["-k", "5", LIMIT]).arg(self.tree.afterimage()).arg(command).arg(&self.prefix).args(more);
        // It finds the prefix by its argument alone.
        run.env("WINEPREFIX", self.out.join("another-prefix"));
        step::run_in(self.ws, &mut run, &format!("afterimage {command}"), "", self.progress).map(drop)
    }

    /// A program by plain Wine, configured as a user would: by a file.
    fn program(&self, exe: &Path, renderer: &str, pictures: &Path) -> Command {
        let file = self.out.join("afterimage.conf");
        let lines = [
            format!("renderer = {renderer}"),
            format!("start_viewer = {}", self.tree.viewer().display()),
            format!("dir = {}", self.link().display()),
            format!("screenshots = {}", pictures.display()),
            format!("screenshot_frames = {SHOTS}"),
            "[afterimage-viewer]".to_owned(),
            // The program's own word has to reach the viewer.
            format!("screenshots = {}", self.out.join("not-here").display()),
        ];
        let _told_by_the_run = std::fs::write(&file, lines.join("\n"));
        let mut command = self.environment("timeout");
        command.args(["-k", "5", LIMIT, "wine"]).arg(exe).args(["--frames", FRAMES]);
        // Wine hands no layers of Vulkan on.
        command
            .env("AFTERIMAGE_CONF", &file)
            .env("AFTERIMAGE_VALIDATE", "0")
            .current_dir(&self.out)
            .stdin(Stdio::null());
        command
    }

    /// Where programs and their viewer meet.
    fn link(&self) -> PathBuf {
        self.out.join("link")
    }

    /// Waits until the viewer that a program has started is gone, as it should be without a program.
    fn is_unserved(&self) -> Result {
        let what = "a viewer that was started by need";
        let file = File::open(self.link().join("viewer.pid")).doing(format!("{what}: finding its name"))?;
        let start = Instant::now();
        // It holds a lock on it until it ends.
        while file.try_lock_shared().is_err() {
            if start.elapsed() > PATIENCE {
                return Err(Failure::new(what, "it stays after its last program"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn environment(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        self.wine.environment(&mut command, self.kind.wine);
        command.env("WINEPREFIX", &self.prefix);
        if let Some(arch) = self.kind.arch.filter(|_| !self.prefix.join("system.reg").is_file()) {
            command.env("WINEARCH", arch);
        }
        command
    }

    fn wine(&self, arguments: &[&str], what: &str) -> Result {
        let mut command = self.environment("timeout");
        command.args(["-k", "5", LIMIT, "wine"]).args(arguments);
        let advice = format!("remove {} and try again", self.prefix.display());
        step::run_in(self.ws, &mut command, what, &advice, self.progress).map(drop)
    }

    /// Wine's server: `-p` starts one that stays, `-w` waits until it has ended, `-k` ends it.
    fn server(&self, what: &str) {
        let _ = self.environment("wineserver").arg(what).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.server("-k");
    }
}

/// Whether pictures are those of the native program.
fn compare(title: &str, wanted: &Path, pictures: &Path) -> Result {
    let names = picture::in_folder(wanted);
    for path in &names {
        let other = pictures.join(path.file_name().unwrap_or_default());
        if !other.is_file() {
            return Err(Failure::new(title, format!("it did not write {}", other.display())));
        }
        if let Some(difference) = Picture::read(path)?.difference(&Picture::read(&other)?) {
            return Err(Failure::new(
                title,
                format!("{} is not that of the native program: {difference}", other.display()),
            ));
        }
    }
    if names.len() < 3 { Err(Failure::new(title, "the native program wrote no pictures")) } else { Ok(()) }
}
