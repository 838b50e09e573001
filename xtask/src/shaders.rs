//! The demo's shaders: two of a sample on their way to SPIR-V and Metal's language, and all of them counted.

use std::fmt::Write as _;
use std::process::Command;

use crate::build::Tree;
use crate::report::escape;
use crate::step::{self, Result};
use crate::workspace::Workspace;

/// The shaders that are shown.
const SHOWN: [&str; 2] = ["samples/shaders/scene.ps.asm", "samples/shaders/floor.vs.asm"];

/// Folders of all shaders that lie in files: the samples', text of every model, and what Wine's compiler makes of HLSL.
const FOLDERS: [&str; 3] = ["samples/shaders", "crates/shader-d3d9/tests/filetests", "crates/shader/tests/hlsl"];

/// What is shown of a shader, by its name on the command line.
const STEPS: [(&str, &str); 4] = [
    ("disasm", "Direct3D 9"),
    ("ir", "IR, after all passes"),
    ("spirv-asm", "SPIR-V"),
    ("msl", "Metal Shading Language"),
];

/// What the page has of the shaders.
pub(crate) struct Shaders {
    /// Each with the text of each step.
    shown: Vec<(&'static str, Vec<String>)>,
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
    for file in SHOWN {
        let step = |(to, _): &(&str, &str)| step::output(translate().args([file, "--to", to]), "translating a shader");
        shown.push((file, STEPS.iter().map(step).collect::<Result<Vec<_>>>()?));
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
        let mut html = String::from(
            "<h2>shaders</h2>\n<p class=\"sub\">Shaders become an IR of our own, and that becomes SPIR-V, which draws the \
             pictures above, and Metal's language. <code>afterimage shader translate FILE --to ir</code> shows the same.</p>\n",
        );
        html.push_str("<ul>");
        for count in &self.counts {
            let _ = write!(html, "<li>shaders in files: {}</li>", escape(count));
        }
        html.push_str("</ul>\n");
        for (file, texts) in &self.shown {
            let _ = writeln!(html, "<h3><code>{}</code></h3>\n<div class=\"steps\">", escape(file));
            for ((_, title), text) in STEPS.iter().zip(texts) {
                let _ = writeln!(
                    html,
                    "<figure><figcaption><b>{title}</b> {} lines</figcaption><pre>{}</pre></figure>",
                    text.lines().count(),
                    escape(text)
                );
            }
            html.push_str("</div>\n");
        }
        html
    }
}
