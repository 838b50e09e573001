//! What the lifter makes of a shader computes what the shader reference says.

use crate::corpus::{self, Entry};
use crate::machine::Machine;
use crate::world::{WORLDS, World};
use crate::{every_entry, shader};
use afterimage_interp::Interpreter;
use afterimage_ir::{Op, OutputAt, OutputDecl};
use afterimage_shader::{PixelOps, RuntimeInfo, VertexOps};
use afterimage_shader_d3d9::tables::{RAST_FOG, RAST_POINT_SIZE, RegisterType as R, Stage, Usage};
use afterimage_shader_d3d9::{Program, Signature};

type Lanes = [[f32; 4]; 4];

/// What the shader itself gives to an output, in all lanes; `None` for outputs that the state around it adds.
fn expected(program: &Program, machine: &Machine<'_>, decl: &OutputDecl) -> Option<Lanes> {
    let clamp = |lanes: Lanes| lanes.map(|lane| lane.map(|c| if c.is_nan() { 0.0 } else { c.clamp(0.0, 1.0) }));
    if program.version.stage == Stage::Pixel {
        return match decl.at {
            OutputAt::Location(0) if program.version.major == 1 => machine.output(R::Temp, 0),
            OutputAt::Location(number) => machine.output(R::ColorOut, number.into()),
            OutputAt::FragDepth => machine.output(R::DepthOut, 0).map(clamp),
            _ => None,
        };
    }
    let semantic = match decl.at {
        OutputAt::PointSize => (Usage::PSize, 0),
        _ => decl.semantic.and_then(|s| Some((Usage::from_number(s.usage)?, s.index)))?,
    };
    if program.version.major >= 3 {
        // A semantic may be put together of several registers' components; those of the corpus are one register's.
        let signature = Signature::of(program);
        let element = signature.outputs.iter().find(|e| (e.usage, e.index) == semantic)?;
        let mut lanes = machine.output(R::Output, element.register)?;
        for n in (0..4).filter(|n| element.mask >> n & 1 == 0) {
            lanes.iter_mut().for_each(|lane| lane[n] = 0.0);
        }
        return Some(lanes);
    }
    match semantic {
        (Usage::Position, 0) => machine.output(R::RastOut, 0),
        (Usage::Fog, 0) => machine.output(R::RastOut, RAST_FOG).map(clamp),
        (Usage::PSize, 0) => machine.output(R::RastOut, RAST_POINT_SIZE),
        (Usage::Color, number) => machine.output(R::AttrOut, number.into()).map(clamp),
        (Usage::TexCoord, number) => machine.output(R::TexCoordOut, number.into()),
        _ => None,
    }
}

fn close(found: f32, expected: f32) -> bool {
    found == expected
        || found.is_nan() && expected.is_nan()
        || (found - expected).abs() <= 1e-5 * expected.abs().max(1.0)
}

fn check(entry: &Entry) -> Result<(), String> {
    let program = Program::parse(&entry.tokens).map_err(|e| e.to_string())?;
    let (shader, runtime) = shader(entry)?;
    let module = shader.lift(&runtime).map_err(|e| format!("lift: {e}"))?;
    let interpreter = Interpreter::new(&module).map_err(|e| e.to_string())?;
    let mut angles = false;
    module.for_each_inst(|_, data| angles |= matches!(data.op, Op::FSin | Op::FCos));
    for index in 0..WORLDS {
        for quad in 0..World::quads(module.stage).min(2) {
            let world = World::new(index, module.stage, quad);
            let outcome = interpreter.run(&world).map_err(|e| e.to_string())?;
            let machine = Machine::run(&program, &runtime, &world);
            if machine.killed != outcome.demoted {
                return Err(format!("world {index}: throws {:?} away, not {:?}", outcome.demoted, machine.killed));
            }
            for (output, decl) in module.outputs.iter().enumerate() {
                let Some(expected) = expected(&program, &machine, decl) else { continue };
                for lane in (0..4).filter(|lane| !machine.killed[*lane]) {
                    let found = outcome.outputs[output][lane].map(f32::from_bits);
                    let count = decl.ty.lanes as usize;
                    if !(0..count).all(|n| close(found[n], expected[lane][n])) {
                        return Err(format!(
                            "world {index}, lane {lane}: {} ({:?}) is {:?} and not {:?}\n{module}",
                            decl.name,
                            decl.at,
                            &found[..count],
                            &expected[lane][..count]
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_lifter_means_what_the_reference_says() {
    // What the state around a shader adds is not the shader's.
    let own = |entry: &Entry| {
        let RuntimeInfo { pixel_ops, vertex_ops, .. } = entry.runtime;
        pixel_ops == PixelOps::default() && vertex_ops == VertexOps::default()
    };
    let entries: Vec<Entry> = corpus::all().into_iter().filter(own).collect();
    every_entry("lifter", &entries, check);
}
