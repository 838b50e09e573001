//! `docs/ir.md` lists the passes as the pipeline runs them.

use afterimage_ir::{Builder, Stage};
use afterimage_passes::{FloatRules, Options, optimize_observed};

#[test]
fn the_documentation_has_every_pass_in_order() {
    let text = include_str!("../../../docs/ir.md");
    let (_, rest) = text.split_once("\n## Passes\n").expect("the section");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let listed: Vec<&str> = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut passes = Vec::new();
    let mut module = Builder::new(Stage::Pixel).finish().unwrap();
    optimize_observed(&mut module, &Options { float_rules: FloatRules::Strict }, &mut |name, _| passes.push(name));
    assert_eq!(listed, passes, "docs/ir.md and crates/passes/src/pipeline.rs");
}
