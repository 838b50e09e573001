//! Components and bits that move: swizzles, shuffles, casts.

use std::fmt::Write as _;

use afterimage_ir::{Imm, InstData, Op, Swizzle, Type, Value};

use crate::emit::{Emitter, Slot, component, same_type};
use crate::expr::{Expr, Prec, letters, type_name};

impl Emitter<'_> {
    /// The same expression again.
    pub(crate) fn same(&self, value: Value) -> Expr {
        match self.slot(value) {
            (_, Slot::Expr(expr)) => expr.clone(),
            (value, _) => Expr::free(value.to_string()),
        }
    }

    pub(crate) fn bitcast(&mut self, data: &InstData, ty: Type) -> Expr {
        let arg = data.args[0];
        if same_type(self.m.ty(arg).kind, ty.kind) {
            return self.same(arg);
        }
        let splat = self.is_splat(data);
        let mut text = format!("as_type<{}>(", type_name(if splat { component(ty) } else { ty }));
        self.put_one(&mut text, arg, Prec::Any, splat);
        text.push(')');
        Expr { splat, ..Expr::postfix(text) }
    }

    pub(crate) fn swizzle(&mut self, arg: Value, lanes: &[u8]) -> Expr {
        let from = self.m.ty(arg).lanes;
        let splat = lanes.len() > 1;
        // A component of a scalar or of what has them all the same.
        if from == 1 || self.splat(arg).is_some() {
            return Expr { splat, ..self.same(arg) };
        }
        let free = !matches!(self.slot(arg).1, Slot::Expr(expr) if !expr.free);
        let mut text = self.fresh();
        if lanes.iter().all(|&lane| lane == lanes[0]) {
            self.put_swizzled(&mut text, arg, &lanes[..1]);
            return Expr { splat, free, ..Expr::postfix(text) };
        }
        self.put_swizzled(&mut text, arg, lanes);
        Expr { free, ..Expr::postfix(text) }
    }

    /// Writes components of a value.
    pub(crate) fn put_swizzled(&self, out: &mut String, value: Value, lanes: &[u8]) {
        let ty = self.m.ty(value);
        // Components of components.
        if let (Some(data), (_, Slot::Expr(Expr { free: true, splat: false, .. }))) =
            (self.m.def_of(value, Op::Swizzle), self.slot(value))
            && let Imm::Swizzle(swizzle) = data.imm
        {
            return self.put_swizzled(out, data.args[0], swizzle.then(Swizzle::new(lanes)).lanes());
        }
        if ty.lanes == 1 || self.splat(value).is_some() {
            if lanes.len() == 1 {
                self.put_loose(out, value, Prec::Postfix);
            } else {
                let _ = write!(out, "{}(", type_name(ty.with_lanes(lanes.len() as u8)));
                self.put_loose(out, value, Prec::Any);
                out.push(')');
            }
            return;
        }
        self.put(out, value, Prec::Postfix);
        if !Swizzle::new(lanes).is_identity(ty.lanes) {
            out.push('.');
            letters(out, lanes);
        }
    }

    pub(crate) fn shuffle(&mut self, data: &InstData, select: Swizzle, ty: Type) -> Expr {
        let (a, b) = (data.args[0], data.args[1]);
        let split = self.m.ty(a).lanes;
        // Runs of components of one operand.
        let mut runs: Vec<(Value, Vec<u8>)> = Vec::new();
        for &lane in select.lanes() {
            let (from, lane) = if lane < split { (a, lane) } else { (b, lane - split) };
            match runs.last_mut() {
                Some((value, lanes)) if *value == from => lanes.push(lane),
                _ => runs.push((from, vec![lane])),
            }
        }
        if let [(value, lanes)] = &runs[..] {
            return self.swizzle(*value, lanes);
        }
        for value in [a, b] {
            if runs.iter().filter(|run| run.0 == value).count() > 1 {
                self.name(value);
            }
        }
        let mut text = self.fresh();
        text.push_str(type_name(ty));
        text.push('(');
        for (i, (value, lanes)) in runs.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            self.put_swizzled(&mut text, *value, lanes);
        }
        text.push(')');
        Expr::postfix(text)
    }

    pub(crate) fn construct(&mut self, data: &InstData, ty: Type) -> Expr {
        if data.args.iter().all(|arg| *arg == data.args[0]) && self.m.ty(data.args[0]).lanes == 1 {
            return Expr { splat: true, ..self.same(data.args[0]) };
        }
        self.call_on_vectors(data, type_name(ty))
    }
}
