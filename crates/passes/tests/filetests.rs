//! Runs `tests/filetests/*.air`: each file names passes, has a module, and behind the mark the module that must come out.
//!
//! `cargo xtask bless` (or `AFTERIMAGE_BLESS=1`) writes what comes out as what must.

use std::path::Path;

use afterimage_ir::{Module, parse, verify};
use afterimage_passes::feedback::{Attribute, Fetch, Form, Number, Step};
use afterimage_passes::*;

const MARK: &str = "; ---- expected ----\n";

fn pass(name: &str) -> Option<fn(&mut Module)> {
    Some(match name {
        "outputs" => outputs::run,
        "ssa" => ssa::run,
        "types" => types::run,
        "lanes" => lanes::run,
        "fold" => fold::run,
        "simplify" => simplify::run,
        "conditions" => conditions::run,
        "control_flow" => control_flow::run,
        "cse" => cse::run,
        "dce" => dce::run,
        "float_rules_strict" => |m| float_rules::run(m, FloatRules::Strict),
        "float_rules_relaxed" => |m| float_rules::run(m, FloatRules::Relaxed),
        "float_rules_balanced" => |m| float_rules::run(m, FloatRules::Balanced),
        "pipeline_strict" => |m| optimize(m, &Options { float_rules: FloatRules::Strict }),
        "pipeline_relaxed" => |m| optimize(m, &Options { float_rules: FloatRules::Relaxed }),
        "feedback_gather" => |m| lower(m, Form::Gather),
        "feedback_scatter" => |m| lower(m, Form::Scatter),
        _ => return None,
    })
}

/// Lowers captures. Location 0 is fed by slot 0: three floats at byte 4 of each vertex.
fn lower(m: &mut Module, form: Form) {
    let fetch = Fetch::new(Number::Float, 3, 32);
    let attributes = vec![Attribute { location: 0, slot: 0, fetch, offset: 4, step: Step::Vertex }];
    *m = feedback::lower(m, &feedback::Options { form, attributes }).unwrap();
}

fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (input, expected) = text.split_once(MARK).unwrap_or((&text, ""));
    let first = input.lines().next().unwrap_or_default();
    let names = first.strip_prefix("; test: ").ok_or("the first line must be `; test: PASS, PASS`")?;
    let mut module = parse(input).map_err(|e| e.to_string())?;
    verify(&module).map_err(|e| e.to_string())?;
    for name in names.split(", ") {
        pass(name).ok_or(format!("no pass `{name}`"))?(&mut module);
        verify(&module).map_err(|e| format!("after {name}: {e}\n{module}"))?;
    }
    let found = module.to_string();
    if bless && found != expected {
        std::fs::write(path, format!("{input}{MARK}{found}")).map_err(|e| e.to_string())?;
    } else if found != expected {
        return Err(format!("expected:\n{expected}\nfound:\n{found}"));
    }
    Ok(())
}

#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|v| v == "1");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8, "the file tests are missing");
    let failures: Vec<String> =
        files.iter().filter_map(|path| check(path, bless).err().map(|e| format!("{}: {e}", path.display()))).collect();
    assert!(failures.is_empty(), "{}\n(`cargo xtask bless` accepts what was found)", failures.join("\n"));
}
