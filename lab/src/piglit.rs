//! `cargo xtask piglit`: Debian's OpenGL tests of transform feedback, through Mesa's zink and our Vulkan layer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::build::Profile;
use xtask::setup::apt;
use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;

use crate::feedback;

/// Tests are those with one of these in their names.
const TESTS: [&str; 2] = ["transform.?feedback", "xfb"];
/// Piglit's list of OpenGL tests.
const PROFILE: &str = "quick_gl";

/// Arguments of `piglit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install piglit where it is not there, as root.
    #[arg(long)]
    yes: bool,
    /// Tests that run at once.
    #[arg(short, long, default_value_t = 2)]
    jobs: u32,
    /// Where results go; `piglit summary` makes pages of them.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// How the tests are run: a name, and what option `xfb` is, with the layer there.
const WAYS: [(&str, Option<&str>); 4] =
    [("native", None), ("plain", Some("plain")), ("layer", Some("force")), ("hidden", Some("hide"))];

/// Results by the names of tests.
type Results = BTreeMap<String, String>;

/// The command itself.
///
/// # Errors
/// When piglit cannot be run, or what the layer does is not what the driver does.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    install(ws, args.yes)?;
    let folder = args.output.clone().unwrap_or_else(|| ws.target.join("piglit"));
    let mut found = Vec::new();
    for (name, option) in WAYS {
        let results = folder.join(name);
        let mut piglit = Command::new("piglit");
        piglit.args(["run", "-o", "-l", "quiet", "--timeout", "60", "-j", &args.jobs.to_string()]);
        for test in TESTS {
            piglit.args(["-t", test]);
        }
        piglit.arg(PROFILE).arg(&results);
        // Without a display, on the Vulkan driver for the CPU.
        piglit.env("PIGLIT_PLATFORM", "surfaceless_egl").env("PIGLIT_COMPRESSION", "none");
        piglit.env("MESA_LOADER_DRIVER_OVERRIDE", "zink").env("LIBGL_ALWAYS_SOFTWARE", "1");
        if let Some(option) = option {
            feedback::layer(ws, Profile::Dev, &mut piglit)?;
            piglit.env("VK_INSTANCE_LAYERS", "VK_LAYER_AFTERIMAGE_transform_feedback").env("AFTERIMAGE_XFB", option);
        }
        step::run(ws, &mut piglit, &format!("piglit, {name}"), "")?;
        found.push(read(&results)?);
    }
    let [native, plain, layer, hidden] = &found[..] else { return Ok(()) };
    for ((name, _), results) in WAYS.iter().zip(&found) {
        println!("{name:>8}: {}", count(results));
    }
    let reasons = differences(native, plain);
    println!("{} differ natively where VK_EXT_primitives_generated_query is not there:", reasons.len());
    reasons.iter().for_each(|line| println!("  {line}"));
    println!("{} differ where nobody has the extension", differences(native, hidden).len());
    let wrong = differences(plain, layer);
    if wrong.is_empty() && !layer.is_empty() {
        println!("{} tests: with the layer as without it", layer.len());
        return Ok(());
    }
    Err(Failure::new("comparing with the layer and without it", wrong.join("\n")))
}

fn install(ws: &Workspace, yes: bool) -> Result {
    if step::on_path("piglit") {
        return Ok(());
    }
    let line = "apt-get install -y --no-install-recommends piglit";
    if !yes || !apt::is_root() {
        return Err(
            Failure::new("looking for piglit", "it is not installed").advise(format!("{line}, or --yes as root"))
        );
    }
    let mut command = Command::new("apt-get");
    command.args(line.split(' ').skip(1));
    step::run(ws, &mut command, "installing piglit", "").map(drop)
}

fn read(folder: &Path) -> Result<Results> {
    let file = folder.join("results.json");
    let text = std::fs::read_to_string(&file).doing(format!("reading {}", file.display()))?;
    Ok(parse(&text))
}

/// The results in a file of piglit's, those of subtests included.
fn parse(text: &str) -> Results {
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    let mut results = Results::new();
    for (name, test) in json["tests"].as_object().into_iter().flatten() {
        let result = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
        results.insert(name.clone(), result(&test["result"]));
        for (part, value) in test["subtests"].as_object().into_iter().flatten() {
            results.insert(format!("{name}, {part}"), result(value));
        }
    }
    results
}

/// Tests of which the results differ, a line each.
fn differences(one: &Results, other: &Results) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let said = |results: &Results, name: &String| results.get(name).cloned().unwrap_or_else(|| "not run".to_owned());
    let pair = |name: &&String| (said(one, name), said(other, name));
    let line = |name: &String| {
        let (one, other) = pair(&name);
        (one != other).then(|| format!("{name}: {one}, {other}"))
    };
    names.into_iter().filter_map(line).collect()
}

fn count(results: &Results) -> String {
    let mut counts = BTreeMap::new();
    results.values().for_each(|result| *counts.entry(result.as_str()).or_insert(0) += 1);
    counts.iter().map(|(result, count)| format!("{count} {result}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_test_by_test() {
        let text =
            r#"{"tests": {"a": {"result": "pass"}, "b": {"result": "fail", "subtests": {"x": "pass", "y": "fail"}}}}"#;
        let one = parse(text);
        assert_eq!(count(&one), "2 fail, 2 pass");
        assert!(differences(&one, &one).is_empty());
        let mut other = one.clone();
        other.insert("b, x".to_owned(), "crash".to_owned());
        other.remove("a");
        assert_eq!(differences(&one, &other), ["a: pass, not run", "b, x: pass, crash"]);
    }
}
