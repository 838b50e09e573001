//! The order of the passes.

use afterimage_ir::{Flags, Module};

use crate::{FloatRules, conditions, control_flow, cse, dce, float_rules, lanes, outputs, simplify, ssa, types};

/// Choices of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// How closely the guest's float rules are followed.
    pub float_rules: FloatRules,
}

/// Makes a module as a front end builds it into one that a back end can write.
///
/// `m` must be valid (see [`afterimage_ir::verify`]). In debug builds it is verified after each pass.
pub fn optimize(m: &mut Module, options: &Options) {
    optimize_observed(m, options, &mut |_, _| {});
}

/// As [`optimize`], and calls `observe` with the name of each pass and the module that it leaves.
pub fn optimize_observed(m: &mut Module, options: &Options, observe: &mut dyn FnMut(&'static str, &Module)) {
    let mut step = |m: &mut Module, name, pass: &dyn Fn(&mut Module)| {
        pass(m);
        if cfg!(debug_assertions)
            && let Err(error) = afterimage_ir::verify(m)
        {
            panic!("the {name} pass broke the module: {error}\n{m}");
        }
        observe(name, m);
    };
    // Before `ssa`, which makes values of the variables that come of it.
    step(m, "outputs", &outputs::run);
    // Front ends keep every guest register in a variable. Nothing can be said about values until those are gone.
    step(m, "ssa", &ssa::run);
    // Before anything looks at `bitcast`s: guest code is full of them, and most only undo each other.
    step(m, "types", &types::run);
    // Guests that read memory compute the same addresses for each access; from here on what is made once is looked at once. Others write
    // little twice, and would pay more for the pass than it saves.
    if m.insts.iter().any(|data| data.op.has(Flags::MEMORY)) {
        step(m, "cse", &cse::run);
    }
    // Before the float rules, which make several instructions of one, and before anything else that would spend time on what
    // nobody reads.
    step(m, "lanes", &lanes::run);
    // Before simplification, which folds what depends on them.
    step(m, "conditions", &conditions::run);
    // Before simplification, which then cleans up behind it too.
    step(m, "float_rules", &|m| float_rules::run(m, options.float_rules));
    // Folds constants as it goes.
    step(m, "simplify", &simplify::run);
    // Conditions that have become constants take their code with them. Where that decides what loops carry and `if`s give, and so
    // further conditions, both look again: once, or a few times where a loop has become straight code.
    let again = std::cell::Cell::new(0);
    let control_flow = |m: &mut Module| again.set(control_flow::run_and_tell(m));
    step(m, "control_flow", &control_flow);
    for _ in 0..again.get() {
        step(m, "simplify", &simplify::run);
        step(m, "control_flow", &control_flow);
    }
    // After simplification, so that equal things look equal.
    step(m, "cse", &cse::run);
    step(m, "dce", &dce::run);
}
