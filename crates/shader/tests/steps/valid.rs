//! `spirv-val` has nothing to say about any of the corpus, under both float rules, and `spirv-cross` makes Metal's language of it.

use crate::{corpus, distinct, every_entry, judges, profile, shader};
use afterimage_shader::FloatRules;

#[test]
fn other_peoples_tools_accept_everything() {
    if !judges::are_there() {
        return;
    }
    every_entry("judges", &distinct(corpus::all()), |entry| {
        let (shader, runtime) = shader(entry)?;
        let strict = shader.compile(&profile(FloatRules::Strict), &runtime).map_err(|e| format!("compile: {e}"))?;
        judges::judge(&strict.words)?;
        let relaxed = shader.compile(&profile(FloatRules::Relaxed), &runtime).map_err(|e| format!("compile: {e}"))?;
        if relaxed.words != strict.words { judges::judge(&relaxed.words) } else { Ok(()) }
    });
}
