//! What transform feedback records: decorations of outputs, and outputs more where those do not do.
//!
//! One output variable has one buffer and one offset. Where a part of an output is captured, or an output twice, the captured components
//! are stored to a variable of their own as well, as whole numbers, so that several may share a location. Distances always are, being parts
//! of an array.

use afterimage_ir::{FeedbackDecl, Kind, Module, Output, OutputAt, Type, Value};
use smallvec::SmallVec;

use crate::EmitError;
use crate::declared::{Copied, Interface};
use crate::emit::Emitter;
use crate::spec::{capability, decoration, execution_mode, op, storage};
use crate::words::{Id, Words};

/// The feedback of a whole output, if that is all that is captured of it.
pub(crate) fn of_whole(m: &Module, output: Output) -> Option<&FeedbackDecl> {
    let decl = &m.outputs[output.index()];
    if matches!(decl.at, OutputAt::ClipDistance(_) | OutputAt::CullDistance(_)) {
        return None;
    }
    let mut all = m.feedback.iter().filter(|feedback| feedback.output == output);
    let first = all.next().filter(|first| first.lanes == decl.ty.lanes);
    if all.next().is_none() { first } else { None }
}

/// Decorates an output variable.
pub(crate) fn decorate(w: &mut Words, variable: Id, feedback: &FeedbackDecl) {
    w.decorate(variable, decoration::XfbBuffer, &[feedback.buffer.into()]);
    w.decorate(variable, decoration::XfbStride, &[feedback.stride]);
    w.decorate(variable, decoration::Offset, &[feedback.offset]);
    if feedback.stream != 0 {
        w.capability(capability::GeometryStreams);
        w.decorate(variable, decoration::Stream, &[feedback.stream.into()]);
    }
}

/// Declares the copies. (Decorations of whole outputs are where the outputs are declared.)
pub(crate) fn declare(w: &mut Words, m: &Module, out: &mut Interface, main: Id) -> Result<(), EmitError> {
    if m.feedback.is_empty() {
        return Ok(());
    }
    w.capability(capability::TransformFeedback);
    w.execution_mode(main, execution_mode::Xfb, &[]);
    let taken = m.outputs.iter().fold(0u64, |taken, decl| match decl.at {
        OutputAt::Location(n) => taken | 1 << (n & 63),
        _ => taken,
    });
    let mut free = (0..64u32).filter(|n| taken >> n & 1 == 0);
    // For each stream the location that it last began, and the components that are taken there.
    let mut open: [Option<(u32, u8)>; 4] = [None; 4];
    for feedback in m.feedback.iter().filter(|feedback| of_whole(m, feedback.output).is_none()) {
        let place = &mut open[usize::from(feedback.stream & 3)];
        let (location, component) = match *place {
            Some((location, used)) if used + feedback.lanes <= 4 => (location, used),
            _ => (free.next().ok_or(EmitError::Feedback)?, 0),
        };
        *place = Some((location, component + feedback.lanes));
        let ty = w.ty(Type::new(Kind::Int, feedback.lanes));
        let variable = w.variable(storage::Output, ty);
        w.decorate(variable, decoration::Location, &[location]);
        if component > 0 {
            w.decorate(variable, decoration::Component, &[component.into()]);
        }
        decorate(w, variable, feedback);
        let FeedbackDecl { output, component, lanes, .. } = *feedback;
        out.copies.push(Copied { output, component, lanes, variable });
    }
    Ok(())
}

impl Emitter<'_> {
    /// Stores what is captured of an output to its copies.
    pub(crate) fn store_copies(&mut self, output: Output, value: Value) {
        for at in 0..self.interface.copies.len() {
            let Copied { output: of, component, lanes, variable } = self.interface.copies[at];
            if of != output {
                continue;
            }
            let mut parts: SmallVec<[Id; 4]> = SmallVec::new();
            for lane in component..component + lanes {
                parts.push(self.lane(value, lane));
            }
            let kind = self.m.ty(value).kind;
            let ty = self.w.ty(Type::new(kind, lanes));
            let mut id = match parts[..] {
                [one] => one,
                _ => self.w.value(op::CompositeConstruct, ty, &parts),
            };
            if kind == Kind::Float {
                let bits = self.w.ty(Type::new(Kind::Int, lanes));
                id = self.w.value(op::Bitcast, bits, &[id]);
            }
            self.w.code.op(op::Store, &[variable, id]);
        }
    }
}
