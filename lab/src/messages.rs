//! What a program's user is told where nothing can draw: a Windows program by a message box, once, and a native one on standard error; in
//! both what is missing. And programs that open windows where there is no display.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use xtask::build::{Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::keys::hand::{Hand, Key};
use crate::matrix::End;
use crate::picture;
use crate::wine::Wine;

/// How long each part may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// A file that is no driver's: the loader looks at no others then.
const NO_DRIVER: (&str, &str) = ("VK_ICD_FILENAMES", "/nonexistent.json");
/// What must be said then, wherever it is said.
const CAUSE: &str = "VK_ICD_FILENAMES=/nonexistent.json names the only one that is looked for";
/// A configuration with a line that nobody understands, and what is said of that, by every process and however little is logged.
const CONFIGURATION: (&str, &str) = ("vram = 5\n", "mine.conf:1: vram: there is no such option");
/// The title of the box.
const TITLE: &str = "Afterimage";

/// How it went.
pub(crate) struct Row {
    /// What was tried.
    pub(crate) what: String,
    /// How that ended.
    pub(crate) end: End,
}

/// Programs of each kind, without a driver and without a display.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let room = Room { ws, tree, wine, out: ws.target.join("test-messages") };
    let _ = std::fs::remove_dir_all(&room.out);
    let mut rows = vec![
        room.row("a native program without a driver", None, Room::native),
        room.row("a native window without a display", None, Room::native_window),
    ];
    for width in Width::ALL {
        let bits = width.bits();
        rows.push(
            room.row(&format!("a {bits}-bit program without a driver"), Some(width), |room, out| {
                room.boxed(out, width)
            }),
        );
        rows.push(
            room.row(&format!("a {bits}-bit program without a display"), Some(width), |room, out| {
                room.unseen(out, width)
            }),
        );
    }
    rows
}

struct Room<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    wine: &'a Wine,
    out: PathBuf,
}

/// A program that does not outlive us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Waits for its end; what it is doing while it is watched.
    fn finish(&mut self, mut watch: impl FnMut() -> Result) -> Result<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().doing("waiting for a program")? {
                return Ok(status.code().unwrap_or(-1));
            }
            if start.elapsed() > PATIENCE {
                return Err(Failure::new("a program that is told something", "it does not end"));
            }
            watch()?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Room<'_> {
    fn row(&self, what: &str, width: Option<Width>, work: impl FnOnce(&Self, &Path) -> Result) -> Row {
        let what = what.to_owned();
        if let Some(end) = width.and_then(|width| self.wine.denied(width)) {
            return Row { what, end };
        }
        let progress = Progress::start(what.clone());
        let out = self.out.join(what.replace(' ', "-"));
        let made = std::fs::create_dir_all(out.join("link"))
            .and_then(|()| std::fs::write(out.join("mine.conf"), CONFIGURATION.0));
        let made = made.doing(format!("filling {}", out.display()));
        let result = made.and_then(|()| work(self, &out));
        progress.finish(&result);
        Row { what, end: End::told(result) }
    }

    fn compiled(&self, mut compiler: Command, out: &Path, name: &str, libraries: &[&str]) -> Result<PathBuf> {
        let exe = out.join(name);
        let source = self.ws.root.join("crates/d3d9-com/tests/programs/refused.c");
        compiler.args(["-std=c99", "-D_POSIX_C_SOURCE=199309L", "-Wall", "-Wextra"]).arg(source).arg("-o").arg(&exe);
        step::output(compiler.args(libraries), "compiling a program that asks for Direct3D")?;
        Ok(exe)
    }

    /// A native program is refused at once, and standard error says why, as often as it asks.
    fn native(&self, out: &Path) -> Result {
        let mut compiler = Command::new("cc");
        compiler.arg("-I").arg(self.tree.root().join("include/afterimage")).arg("-L").arg(self.tree.root());
        let exe = self.compiled(compiler, out, "refused", &["-ld3d9", "-x", "none"])?;
        let mut program = Command::new(exe);
        program.env("LD_LIBRARY_PATH", self.tree.root()).env(NO_DRIVER.0, NO_DRIVER.1).current_dir(out);
        program.env("AFTERIMAGE_DIR", out.join("link")).env("AFTERIMAGE_VIEWER_WAIT_MS", "1");
        program.env("AFTERIMAGE_CONF", out.join("mine.conf")).env("AFTERIMAGE_LOG", "error");
        let output = program.output().doing("starting a native program")?;
        let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let lines = told.lines().filter(|line| line.contains("Direct3DCreate9") && line.contains(CAUSE)).count();
        if said.matches("refused").count() != 3 || lines != 3 || told.matches(CONFIGURATION.1).count() != 1 {
            return Err(Failure::new("a native program that is refused", format!("{said}{told}")));
        }
        Ok(())
    }

    /// A box says why, once, long before a program would have given up waiting; and none does where that is not wanted.
    fn boxed(&self, out: &Path, width: Width) -> Result {
        let exe = self.compiled(Command::new(width.compiler("gcc")), out, "refused.exe", &["-ld3d9"])?;
        xtask::build::copy(&self.tree.root().join(width.folder()).join("d3d9.dll"), &out.join("d3d9.dll"))?;
        let hand = Hand::connect(self.wine.display())?;
        // Where the machine has no loader for the program, that comes before any driver. Wine keeps variables of Vulkan's to itself.
        let no_loader = self.wine.denied_vulkan(width).is_some();
        let cause = if no_loader { "Wine finds no Vulkan loader" } else { "there is no Vulkan driver" };
        for (setting, boxes) in [("on", 1), ("off", 0), ("auto", 0)] {
            let (said, log) = (out.join(format!("said-{setting}")), out.join(format!("log-{setting}")));
            let mut program = Command::new("wine");
            program.arg(&exe).current_dir(out);
            self.wine.environment(&mut program, width);
            program.env("WINEDLLOVERRIDES", "mscoree,mshtml=;d3d9=n").env("AFTERIMAGE_DIR", out.join("link"));
            // Wine gives programs no layers.
            program
                .env("AFTERIMAGE_VALIDATE", "0")
                .env("AFTERIMAGE_MESSAGE_BOX", setting)
                .env("AFTERIMAGE_LOG_FILE", &log)
                .env("CI", "true");
            program
                .env(NO_DRIVER.0, NO_DRIVER.1)
                .env("AFTERIMAGE_CONF", out.join("mine.conf"))
                .env("AFTERIMAGE_LOG", "error");
            match boxes {
                // As for who has set nothing.
                1 => program.env_remove("AFTERIMAGE_VIEWER_WAIT_MS"),
                _ => program.env("AFTERIMAGE_VIEWER_WAIT_MS", "100"),
            };
            let file = File::create(&said).doing(format!("creating {}", said.display()))?;
            program.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
            let mut running = Running(program.spawn().doing("starting a Windows program")?);
            let mut seen = std::collections::BTreeSet::new();
            let status = running.finish(|| {
                let Some(window) = hand.titled(TITLE) else { return Ok(()) };
                if seen.insert(window) {
                    hand.focus(window)?;
                }
                hand.tap(Key::Escape)
            })?;
            let (said, log) =
                (std::fs::read_to_string(&said).unwrap_or_default(), std::fs::read_to_string(&log).unwrap_or_default());
            let wrong = |what: &str| {
                let cause =
                    format!("with message_box = {setting}: {what}; {} boxes, status {status}: {said}{log}", seen.len());
                Err(Failure::new("a Windows program that is refused", cause))
            };
            if (status, said.matches("refused").count()) != (0, 3) {
                return wrong("it was not refused three times");
            }
            if seen.len() != boxes {
                return wrong("too few or too many boxes");
            }
            if !log.contains("Direct3DCreate9: ") || !log.contains(cause) {
                return wrong("the log does not say why");
            }
            if log.matches(CONFIGURATION.1).count() != 1 {
                return wrong("the log does not say once what is wrong with the configuration");
            }
        }
        Ok(())
    }

    /// `afterimage run` without a display.
    fn shown(&self, out: &Path, command: &mut Command) -> Result {
        let log = File::create(out.join("output")).doing("creating a log")?;
        let second = log.try_clone().doing("creating a log")?;
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env("AFTERIMAGE_DIR", out.join("link"));
        command.stdin(Stdio::null()).stdout(log).stderr(second).current_dir(out);
        let mut running = Running(command.spawn().doing("starting afterimage run")?);
        let status = running.finish(|| Ok(()))?;
        let pictures = picture::in_folder(&out.join("pictures")).len();
        if (status, pictures) != (0, 3) {
            let said = std::fs::read_to_string(out.join("output")).unwrap_or_default();
            return Err(Failure::new(
                "a program whose windows nobody sees",
                format!("status {status}, {pictures} pictures: {said}"),
            ));
        }
        Ok(())
    }

    fn run_of(&self, program: &Path, out: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(self.tree.afterimage());
        command.args(["run", "--headless", "-o"]).arg(out.join("pictures")).arg(program).args(["--frames", "3"]);
        command.args(more);
        command
    }

    /// A native program finds a display, opens its window there, and is drawn.
    fn native_window(&self, out: &Path) -> Result {
        let program = self.tree.native_sample("scene");
        self.shown(out, &mut self.run_of(&program, out, &["--window"]))
    }

    /// So does a Windows program. Twice, since Wine's desktop is on the first one's display.
    fn unseen(&self, out: &Path, width: Width) -> Result {
        let program = self.tree.windows_sample("scene", width);
        for _ in 0..2 {
            let _ = std::fs::remove_dir_all(out.join("pictures"));
            let mut command = self.run_of(&program, out, &[]);
            self.wine.environment(&mut command, width);
            self.shown(out, &mut command)?;
        }
        Ok(())
    }
}
