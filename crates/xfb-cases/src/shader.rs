//! The vertex shader of a case.

use afterimage_ir::{
    BuildError, Builder, FeedbackDecl, InputAt, InputDecl, Interp, Kind, Module, OutputAt, OutputDecl, Stage, Type,
    Value,
};

use crate::case::{Case, Component, Layout, STRIDE};
use crate::model::{ONE, factors};

/// The shader of a case: the format's own, or what its layout says.
///
/// # Errors
/// What the verifier finds, which is an error of ours.
pub fn vertex(case: &Case) -> Result<Module, BuildError> {
    of(case.layout.as_ref())
}

/// `gl_VertexIndex, gl_InstanceIndex` to buffer 0, or what a layout says.
///
/// # Errors
/// What the verifier finds, which is an error of ours.
pub fn of(layout: Option<&Layout>) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name("capture");
    let mut input = |at| {
        let decl = || InputDecl { name: String::new(), ty: Type::I32, at, interp: Interp::Smooth, semantic: None };
        b.input_at(at, decl)
    };
    let (vertex, instance) = (input(InputAt::VertexIndex), input(InputAt::InstanceIndex));
    let output = |b: &mut Builder, at, value: Value| {
        let ty = b.ty(value);
        let output = b.output(OutputDecl { name: String::new(), ty, at, semantic: None });
        b.store_output(output, value);
        output
    };
    // What a pipeline of points must have.
    let size = b.f32(1.0);
    output(&mut b, OutputAt::PointSize, size);
    match layout {
        None => {
            let value = b.construct(&[vertex, instance]);
            let output = output(&mut b, OutputAt::Location(0), value);
            b.feedback(FeedbackDecl {
                output,
                component: 0,
                lanes: 2,
                buffer: 0,
                stream: 0,
                stride: STRIDE,
                offset: 0,
            });
        }
        Some(layout) => {
            let outputs: Vec<_> = (0..)
                .zip(layout.locations())
                .map(|(location, of)| {
                    let words: Vec<Value> = (0..of.lanes)
                        .map(|lane| word(&mut b, of.component, factors(location, lane), vertex, instance))
                        .collect();
                    let value = b.construct(&words);
                    output(&mut b, OutputAt::Location(location as u8), value)
                })
                .collect();
            for capture in &layout.captures {
                b.feedback(FeedbackDecl {
                    output: outputs[capture.location as usize],
                    component: capture.component as u8,
                    lanes: capture.lanes as u8,
                    buffer: capture.buffer as u8,
                    stream: 0,
                    stride: layout.strides[capture.buffer as usize],
                    offset: capture.offset,
                });
            }
        }
    }
    b.return_();
    b.finish()
}

/// As the model computes it.
fn word(b: &mut Builder, component: Component, factors: [u32; 3], vertex: Value, instance: Value) -> Value {
    let [x, y, z] = factors.map(|factor| b.i32(factor as i32));
    let (vertex, instance) = (b.imul(vertex, x), b.imul(instance, y));
    let sum = b.iadd(vertex, instance);
    let mixed = b.iadd(sum, z);
    if component != Component::Float {
        return mixed;
    }
    let (nine, one) = (b.i32(9), b.i32(ONE as i32));
    let mantissa = b.ushr(mixed, nine);
    let bits = b.ior(mantissa, one);
    b.cast(bits, Kind::Float)
}
