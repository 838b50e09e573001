//! The demo's shaders: two of a sample on their way to SPIR-V and Metal's language, and all of them counted.

use std::fmt::Write as _;
use std::process::Command;

use xtask::build::Tree;
use xtask::step::{self, Result};
use xtask::workspace::Workspace;

use crate::demo::texts as texts_beside;
use crate::report::escape;

/// The shaders that are shown, and what each is written in.
const SHOWN: [(&str, &str); 3] = [
    ("samples/shaders/scene.ps.asm", "Direct3D 9, ps_2_0"),
    ("samples/shaders/floor.vs.asm", "Direct3D 9, vs_2_0"),
    ("crates/feedback/tests/shaders/waves.vert.spv", "SPIR-V of another compiler"),
];

/// Folders of all shaders that lie in files: the samples', text of every model, and what Wine's compiler makes of HLSL.
const FOLDERS: [&str; 3] = ["samples/shaders", "crates/shader-d3d9/tests/filetests", "crates/shader/tests/hlsl"];

/// What is shown of a shader, by its name on the command line.
const STEPS: [(&str, &str); 4] = [
    ("disasm", "As it was"),
    ("ir", "IR, after all passes"),
    ("spirv-asm", "SPIR-V"),
    ("msl", "Metal Shading Language"),
];

/// What the page has of the shaders.
pub(crate) struct Shaders {
    /// Each with the text of each step.
    shown: Vec<((&'static str, &'static str), Vec<String>)>,
    /// A line about all shaders for each language that they were translated to.
    counts: Vec<String>,
}

/// Translates them. The outputs of all go to `target/demo/shaders/`.
///
/// # Errors
/// When one of them cannot be translated.
pub(crate) fn translate(ws: &Workspace, tree: &Tree) -> Result<Shaders> {
    let translate = || {
        let mut command = Command::new(tree.afterimage());
        command.current_dir(&ws.root).args(["shader", "translate"]);
        command
    };
    let mut shown = Vec::new();
    for (file, language) in SHOWN {
        let step = |(to, _): &(&str, &str)| step::output(translate().args([file, "--to", to]), "translating a shader");
        shown.push(((file, language), STEPS.iter().map(step).collect::<Result<Vec<_>>>()?));
    }
    let out = ws.target.join("demo/shaders");
    let mut counts = Vec::new();
    for to in ["spirv", "msl"] {
        let mut command = translate();
        command.args(FOLDERS).args(["--to", to, "-o"]).arg(out.join(to));
        let done = step::run(ws, &mut command, &format!("translating all shaders to {to}"), "")?;
        counts.extend(done.tail.last().cloned());
    }
    Ok(Shaders { shown, counts })
}

impl Shaders {
    /// The lines about all shaders.
    pub(crate) fn counts(&self) -> &[String] {
        &self.counts
    }

    /// Their section of the page.
    pub(crate) fn html(&self) -> String {
        let mut html = String::from("<ul>");
        for count in &self.counts {
            let _ = write!(html, "<li>shaders in files: {}</li>", escape(count));
        }
        html.push_str("</ul>\n");
        for ((file, language), texts) in &self.shown {
            let _ = writeln!(html, "<h3><code>{}</code></h3>", escape(file));
            let title = |(to, title): &(&str, &str)| match *to {
                "disasm" => format!("<b>{language}</b>"),
                _ => format!("<b>{title}</b>"),
            };
            html.push_str(&texts_beside(&STEPS.iter().map(title).zip(texts.iter().cloned()).collect::<Vec<_>>()));
        }
        html
    }
}
