//! How the viewer says that a Windows program has ended: one that ends without releasing its device has ended, one that is killed has
//! died.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use xtask::build::{Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::wine::Wine;

/// What the viewer says of a program that is gone for no good reason.
const DIED: &str = "the program has died";
/// Ways to end, and whether the program has died then.
const WAYS: [(&str, bool); 2] = [("exits", false), ("is killed", true)];
/// Seconds that the program may take.
const LIMIT: &str = "120";
/// How long the viewer may take to notice.
const PATIENCE: Duration = Duration::from_secs(20);

/// How it went for programs of one width.
pub(crate) struct Row {
    pub(crate) width: Width,
    pub(crate) end: End,
}

/// Ends a program in each way, in both widths.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let row = |&width: &Width| {
        if let Some(end) = wine.denied(width) {
            return Row { width, end };
        }
        let progress = Progress::start(format!("programs that end without releasing a device ({} bit)", width.bits()));
        let result = WAYS.into_iter().try_for_each(|way| end(ws, tree, wine, width, way, &progress));
        progress.finish(&result);
        let end = result.map_or_else(|failure| End::Bad(failure.summary()), |()| End::Good);
        Row { width, end }
    };
    step::side_by_side(&Width::ALL, row)
}

fn end(
    ws: &Workspace,
    tree: &Tree,
    wine: &Wine,
    width: Width,
    (way, died): (&str, bool),
    progress: &Progress,
) -> Result {
    let folder = ws.target.join(format!("test-endings/{}-{}", width.bits(), way.replace(' ', "-")));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("link")).doing(format!("creating {}", folder.display()))?;
    let exe = folder.join("ending.exe");
    let source = ws.root.join("crates/d3d9-com/tests/programs/ending.c");
    let mut compiler = Command::new(width.compiler("gcc"));
    compiler.args(["-std=c99", "-Wall", "-Wextra"]).arg(source).arg("-o").arg(&exe).args(["-ld3d9", "-luser32"]);
    step::run_in(ws, &mut compiler, "compiling a program that just ends", "", progress)?;
    xtask::build::copy(&tree.root().join(width.folder()).join("d3d9.dll"), &folder.join("d3d9.dll"))?;

    let mut viewer = Command::new(tree.viewer());
    viewer.args(["--headless", "--once"]).env("AFTERIMAGE_DIR", folder.join("link"));
    viewer.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut viewer = viewer.spawn().doing("starting the viewer")?;
    let mut program = Command::new("timeout");
    program.args(["-k", "5", LIMIT, "wine"]).arg(&exe).arg(way).current_dir(&folder);
    wine.environment(&mut program, width);
    program.env("WINEDLLOVERRIDES", "mscoree,mshtml=;d3d9=n").env("AFTERIMAGE_RENDERER", "viewer");
    program.env("AFTERIMAGE_DIR", folder.join("link"));
    let ended =
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().doing("starting Wine");
    // It ends with its only program; where that has never come, it must be told.
    let start = Instant::now();
    while viewer.try_wait().doing("waiting for the viewer")?.is_none() {
        if start.elapsed() > PATIENCE {
            let _ = viewer.kill();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = viewer.wait_with_output().doing("waiting for the viewer")?;
    ended?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if !said.contains("ending.exe") || said.contains(DIED) != died {
        return Err(Failure::new(format!("a program that {way}"), format!("the viewer says: {}", said.trim())));
    }
    Ok(())
}
