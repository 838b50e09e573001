//! `spirv-val` has nothing to say about any of the corpus, under both float rules.

use crate::{corpus, distinct, every_entry, profile, shader};
use afterimage_shader::FloatRules;
use std::process::Command;

/// Whether there is no `spirv-val`, which is said; under CI that fails.
pub(crate) fn missing() -> bool {
    let Err(error) = Command::new("spirv-val").arg("--version").output() else { return false };
    let message = format!("spirv-val cannot be run ({error}), nothing is checked: run `cargo xtask setup`");
    assert!(std::env::var_os("CI").is_none(), "{message}");
    eprintln!("{message}");
    true
}

#[test]
fn spirv_val_accepts_everything() {
    if missing() {
        return;
    }
    every_entry("spirv-val", &distinct(corpus::all()), |entry| {
        let (shader, runtime) = shader(entry)?;
        let strict = shader.compile(&profile(FloatRules::Strict), &runtime).map_err(|e| format!("compile: {e}"))?;
        validate(&strict.words)?;
        let relaxed = shader.compile(&profile(FloatRules::Relaxed), &runtime).map_err(|e| format!("compile: {e}"))?;
        if relaxed.words != strict.words { validate(&relaxed.words) } else { Ok(()) }
    });
}

/// What `spirv-val` says about a module.
pub(crate) fn validate(words: &[u32]) -> Result<(), String> {
    let file = tempfile::Builder::new().suffix(".spv").tempfile().map_err(|e| format!("temporary file: {e}"))?;
    std::fs::write(file.path(), bytemuck::cast_slice(words)).map_err(|e| format!("temporary file: {e}"))?;
    let output = Command::new("spirv-val").args(["--target-env", "vulkan1.3"]).arg(file.path()).output();
    let output = output.map_err(|e| format!("spirv-val: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if output.status.success() { Ok(()) } else { Err(format!("spirv-val: {said}")) }
}
