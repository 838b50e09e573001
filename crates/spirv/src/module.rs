//! A module from its head to its end.

use afterimage_ir::{Module, Stage, exact, uses};
use smallvec::SmallVec;

use crate::bound::Bound;
use crate::emit::Emitter;
use crate::spec::{capability, execution_mode, execution_model, op};
use crate::words::Words;
use crate::{Artifact, EmitError, Options, geometry, interface};

/// Writes a module; with the bindings of another program's shader, if it keeps those; with records in place of push constants.
pub(crate) fn emit(
    m: &Module,
    options: &Options,
    bound: Option<&Bound<'_>>,
    records: bool,
) -> Result<Artifact, EmitError> {
    let model = match m.stage {
        Stage::Vertex => execution_model::Vertex,
        Stage::Pixel => execution_model::Fragment,
        Stage::Compute => execution_model::GLCompute,
        Stage::Geometry => execution_model::Geometry,
    };
    let uses = uses(m);
    let mut w = Words::new(options.debug_names, uses.instructions);
    w.capability(capability::Shader);
    w.capability(capability::PhysicalStorageBufferAddresses);
    let main = w.id();
    w.name(main, if m.name.is_empty() { "main" } else { &m.name });
    if m.stage == Stage::Pixel {
        w.execution_mode(main, execution_mode::OriginUpperLeft, &[]);
    }
    if uses.reflection.interlocks && options.features.interlock {
        w.capability(capability::FragmentShaderPixelInterlockEXT);
        w.extension("SPV_EXT_fragment_shader_interlock");
        w.execution_mode(main, execution_mode::PixelInterlockOrderedEXT, &[]);
    }
    if m.stage == Stage::Compute {
        w.execution_mode(main, execution_mode::LocalSize, &m.group);
    }
    geometry::declare(&mut w, m, options, main)?;
    if options.preserve {
        w.capability(capability::SignedZeroInfNanPreserve);
        w.execution_mode(main, execution_mode::SignedZeroInfNanPreserve, &[32]);
    }
    let interface = interface::declare(&mut w, m, &uses, options, bound, records, main)?;
    let void = w.void();
    let function_type = w.global(op::TypeFunction, &[void]);
    w.code.op(op::Function, &[void, main, 0, function_type]);
    let entry = w.id();
    w.label(entry);
    let mut e = Emitter {
        m,
        w,
        uses: &uses,
        features: options.features,
        interface,
        ids: vec![0; m.values.len()],
        vars: SmallVec::new(),
        block: entry,
        loops: SmallVec::new(),
        exact: exact(m),
    };
    e.declare_vars();
    interface::load(&mut e.w, m, &uses, options, bound, &mut e.interface)?;
    e.insts(&m.region(m.body).insts, &mut None)?;
    let words = e.finish(model, main);
    Ok(Artifact { words, reflection: uses.reflection })
}
