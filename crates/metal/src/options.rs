//! What the user may set about a renderer.

use afterimage_shader::FloatRules;

/// What the user may set about a renderer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How closely shaders follow the guest's rules of floats.
    pub float_rules: FloatRules,
    /// Shaders in IR or SPIR-V may have addresses of their own: of tests alone, whose shaders are no stranger's.
    pub raw_addresses: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { float_rules: FloatRules::Strict, raw_addresses: false }
    }
}
